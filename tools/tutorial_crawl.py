"""Writes the two web archives of docs/tutorial.md: made-up sites as a crawler finds them in two years.

Usage: tutorial_crawl.py FOLDER. Needs nothing but Python. The same pages come out on every machine.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
import sys
from pathlib import Path

SITES = {
    "cafe.example.jp": "喫茶みなも",
    "tetsudo.example.jp": "ローカル線の旅",
    "niwa.example.jp": "小さな庭の記録",
    "toshokan.example.jp": "まちの図書館だより",
}
MENU = [("", "ホーム"), ("list", "記事の一覧"), ("mail", "お便り")]
NOTICE = "このサイトの文章と写真の無断転載はご遠慮ください。"
SUBJECTS = [
    "朝の散歩",
    "駅前の本屋",
    "庭の手入れ",
    "雨の日の過ごし方",
    "古い時計",
    "港の市場",
    "山の茶屋",
    "手作りの味噌",
]
PLACES = ["川沿いの道", "北口の商店街", "丘の上の公園", "古い倉庫の裏", "町はずれの神社", "海の見える坂道"]
THINGS = ["白い花", "焼きたてのパン", "色あせた看板", "使い込まれた道具", "背の高い木", "小さな橋", "青い屋根の家"]
PEOPLE = ["店のご主人", "近所の子どもたち", "通りがかりの人", "古くからの友人", "隣に座った方"]
FEELINGS = ["うれしくなりました", "なつかしく思いました", "驚きました", "ほっとしました", "もっと知りたくなりました"]
SENTENCES = [
    "{month}月のある日、{place}まで{minutes}分ほど歩いてみました。",
    "{place}には{thing}があり、{person}がそれを大切にしているそうです。",
    "{person}に話を聞くと、{years}年ほど前には{thing}がもっとたくさんあったとのことでした。",
    "思いがけず{thing}を見つけて、{feeling}。",
    "帰りは{place}を通り、{thing}を写真に撮りました。",
    "{subject}については、また来月くわしく書くつもりです。",
    "温かいお茶を飲みながら{person}と{subject}の話をして、{feeling}。",
    "{minutes}分も歩けば{place}に着くので、急ぐ必要はまったくありません。",
    "{years}年も続けていると、{subject}にもいろいろなやり方があると分かってきます。",
]
ENGLISH = "<h1>Timetable</h1><p>This page is in English. Trains leave every twenty minutes from platform two.</p>" * 3
Page = tuple[str, str, str, str]  # URL, HTTP status, charset, HTML


def sentence(choose: random.Random) -> str:
    """One sentence of the year's notes."""
    return choose.choice(SENTENCES).format(
        month=choose.randint(1, 12),
        minutes=choose.randint(3, 45),
        years=choose.randint(2, 60),
        place=choose.choice(PLACES),
        thing=choose.choice(THINGS),
        person=choose.choice(PEOPLE),
        feeling=choose.choice(FEELINGS),
        subject=choose.choice(SUBJECTS),
    )


def article(host: str, number: int, year: int, charset: str = "UTF-8") -> Page:
    """A page with what a site has around each of its articles."""
    choose = random.Random(f"{host} {number}")
    site, subject = SITES[host], choose.choice(SUBJECTS)
    paragraphs = ["".join(sentence(choose) for _ in range(choose.randint(3, 6))) for _ in range(choose.randint(3, 6))]
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    menu = "".join(f'<li><a href="/{name}">{label}</a>' for name, label in MENU)
    date = f"{year}年{number % 12 + 1}月{number % 28 + 1}日 更新"
    html = (
        f'<html lang="ja"><head><meta charset="{charset}"><title>{subject} その{number} | {site}</title></head>'
        f"<body><nav><ul>{menu}</ul></nav>"
        f'<main><h1>{subject} その{number}</h1><div class="date">{date}</div>{body}</main>'
        f"<footer><p>{NOTICE}</p><p>&copy; {site}</p></footer></body></html>"
    )
    return f"http://{host}/{number}.html", "200 OK", charset, html


def pages(year: int) -> list[Page]:
    """What the crawler of a year gets; the second year finds half of the first one's articles again."""
    first = 0 if year == 2023 else 6
    found = [article(host, number, year) for number in range(first, first + 12) for host in SITES]
    found += [article("cafe.example.jp", 100 + number, year, "Shift_JIS") for number in range(3)]
    found.append(("http://tetsudo.example.jp/en.html", "200 OK", "UTF-8", ENGLISH))
    found.append(("http://niwa.example.jp/gone.html", "404 Not Found", "UTF-8", "<p>ページが見つかりません。</p>"))
    found.append(("http://niwa.example.jp/short.html", "200 OK", "UTF-8", "<p>このページは、ただいま準備中です。</p>"))
    return found


def record(page: Page, year: int) -> bytes:
    """A response record, in a gzip member of its own."""
    url, status, charset, html = page
    body = html.encode(charset)
    message = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
    digits = hashlib.sha256(f"{url} {year}".encode()).hexdigest()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-8{digits[17:20]}-{digits[20:32]}>\r\n"
        f"WARC-Date: {year}-10-01T00:00:00Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(message)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + message + b"\r\n\r\n", mtime=0)


def main() -> int:
    """Writes FOLDER/2023.warc.gz, and FOLDER/2024.warc.gz, whose last record is cut off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the archives go; made if it is not there")
    folder = parser.parse_args().folder
    folder.mkdir(parents=True, exist_ok=True)
    for year in (2023, 2024):
        data = b"".join(record(page, year) for page in pages(year))
        (folder / f"{year}.warc.gz").write_bytes(data if year == 2023 else data[:-40])
    return 0


if __name__ == "__main__":
    sys.exit(main())
