"""Made-up sentences with personal data in them, whose places are known, and with what looks like it and is none."""

from __future__ import annotations

import random

Sentence = tuple[str, list[tuple[int, int, str]]]

FRAMES = [
    "お問い合わせは{}までお願いします。",
    "連絡先：{}",
    "詳しくは（{}）へどうぞ。",
    "担当の山田です。{} に変わりました。",
    "・{}、受付は平日のみ",
    "記録には「{}」とあった。",
]
WIDE = str.maketrans("0123456789-()@.", "０１２３４５６７８９－（）＠．")
LABELS = {
    "my_number": ["マイナンバー：", "個人番号 "],
    "corporate_number": ["法人番号：", "登録番号 T"],
    "bank_account": ["普通 ", "普通預金 口座番号：", "（普）", "当座 "],
    "postal_code": ["〒", "郵便番号："],
}
OTHERS = [
    "ISBN978-4-06-5{0:05}-{1}",
    "20{0:02}-0{1}-1{1}",
    "{0},{0:03}円",
    "Ver.{1}.{1}.{0}.{1}",
    "平成{1}年法律第{0}号",
    "型番：045-{0:03}-{0:04}",
    "注文番号 4111111111111111",
    "192.168.{1}.{0}",
    "第{1}.{1}.{1}.{1}節",
    "user{0}@example.com",
    "npm install tool@{1}.{1}.{1}",
    "学籍番号 {0:07}",
    "{0:03}-{0:04}",
    "{1}時{0}分",
]


def digits(choose: random.Random, count: int) -> str:
    """At random."""
    return "".join(choose.choices("0123456789", k=count))


def luhn(head: str) -> str:
    """With its check digit."""
    total = sum(sum(divmod(int(d) * 2, 10)) if i % 2 == 0 else int(d) for i, d in enumerate(reversed(head)))
    return head + str(-total % 10)


def telephone(choose: random.Random) -> str:
    """In one of the ways to write them."""
    four = digits(choose, 4)
    number = choose.choice(
        [
            f"03-{choose.choice('3456')}{digits(choose, 3)}-{four}",
            f"06-6{digits(choose, 3)}-{four}",
            f"011-2{digits(choose, 2)}-{four}",
            f"045-6{digits(choose, 2)}-{four}",
            f"0422-5{digits(choose, 1)}-{four}",
            f"090-{choose.choice('123456789')}{digits(choose, 3)}-{four}",
            f"0120-{digits(choose, 3)}-{digits(choose, 3)}",
            f"0570-{digits(choose, 3)}-{digits(choose, 3)}",
            f"03({choose.choice('3456')}{digits(choose, 3)}){four}",
            f"(045)6{digits(choose, 2)}-{four}",
            f"+81-90-{choose.choice('123456789')}{digits(choose, 3)}-{four}",
        ]
    )
    return number.replace("-", choose.choice(["-", "-", "‐", "−", "ー"])) if choose.random() < 0.3 else number


def my_number(choose: random.Random) -> str:
    """With its check digit."""
    head = digits(choose, 11)
    rest = sum(int(d) * (n + 1 if n <= 6 else n - 5) for n, d in enumerate(reversed(head), 1)) % 11
    number = head + str(0 if rest <= 1 else 11 - rest)
    return choose.choice(
        [number, f"{number[:4]}-{number[4:8]}-{number[8:]}", f"{number[:4]} {number[4:8]} {number[8:]}"]
    )


def corporate_number(choose: random.Random) -> str:
    """With its check digit, which stands first."""
    tail = digits(choose, 12)
    return str(9 - sum(int(d) * (1 if n % 2 else 2) for n, d in enumerate(reversed(tail), 1)) % 9) + tail


def card(choose: random.Random) -> str:
    """Of an issuer."""
    head, size = choose.choice([("4", 16), ("53", 16), ("2221", 16), ("37", 15), ("3530", 16), ("36", 14)])
    number = luhn(head + digits(choose, size - 1 - len(head)))
    sign = choose.choice(["", "-", " "])
    if size == 16:
        return sign.join(number[i : i + 4] for i in range(0, 16, 4))
    return sign.join([number[:4], number[4:10], number[10:]])


def value(kind: str, choose: random.Random) -> str:
    """Of a kind."""
    name = "".join(choose.choices("abcdefghijklmnopqrstuvwxyz", k=5))
    if kind == "email":
        forms = [f"{name}@{name[::-1]}.co.jp", f"{name}.{name[:2]}@mail.{name}.com", f"{name}_{name}@{name}.ne.jp"]
        return choose.choice([*forms, f"{name}(at){name}.jp"])
    if kind == "postal_code":
        return f"{digits(choose, 3)}-{digits(choose, 4)}"
    if kind == "bank_account":
        return digits(choose, 7)
    if kind == "ip_address":
        four = [choose.randrange(101, 120), *(choose.randrange(41, 256) for _ in range(3))]
        six = ":".join(f"{choose.randrange(1, 65536):x}" for _ in range(3))
        return choose.choice([".".join(map(str, four)), f"2400:{six}::{choose.randrange(1, 9999):x}"])
    if kind == "license_plate":
        office = choose.choice(["品川", "横浜", "なにわ", "尾張小牧", "札幌"])
        number = f"{choose.randrange(1, 10)}30 さ {digits(choose, 2)}-{digits(choose, 2)}"
        return choose.choice([f"{office} {number}", f"{office}500た・・{choose.randrange(10, 99)}"])
    if kind == "coordinates":
        return f"{choose.randrange(30, 45)}.{digits(choose, 6)}, {choose.randrange(130, 145)}.{digits(choose, 6)}"
    made = {"telephone": telephone, "my_number": my_number, "corporate_number": corporate_number, "card": card}
    return made[kind](choose)


KINDS = ["email", "telephone", "postal_code", "my_number", "corporate_number", "card", "bank_account", "ip_address",
         "license_plate", "coordinates"]  # fmt: skip


def sentences(seed: int, of_each: int) -> list[Sentence]:
    """So many with each kind, and as many of all kinds together with none; a tenth of them in full width."""
    choose = random.Random(seed)
    made: list[Sentence] = []
    for kind in KINDS:
        for _ in range(of_each):
            piece = value(kind, choose)
            if choose.random() < 0.1 and kind in ("telephone", "postal_code", "email", "bank_account", "card"):
                piece = piece.translate(WIDE)
            label = choose.choice(LABELS.get(kind, [""]))
            frame = choose.choice(FRAMES)
            begin = frame.index("{") + len(label)
            made.append((frame.format(label + piece), [(begin, begin + len(piece), kind)]))
            other = choose.choice(OTHERS).format(choose.randrange(10, 100), choose.randrange(1, 9))
            made.append((choose.choice(FRAMES).format(other), []))
    return made
