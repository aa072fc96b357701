"""Pages with known structure: Markdown and reStructuredText of real projects, rendered by real generators.

What a generator reads otherwise than the truth does is no fault of an extractor, so each is given what it understands.

Markdown: front matter is taken out, and blocks with raw HTML but comments, marks in the text and boxes (those too for
Python-Markdown, which reads no Markdown in them). A block is left out for a generator that, with nothing added to its
HTML, makes other elements or other text of it than the tokens of markdown-it-py say (Python-Markdown's nested lists,
code in lists, Japanese emphasis); a file likewise where its blocks change each other. mdBook's `include`s are followed.

reStructuredText: what is unknown to docutils (Sphinx' directives) and to Sphinx (projects' extensions) is an error that
both drop. structure_truth.PRUNED is taken out of the document before it is written.
"""

from __future__ import annotations

import html
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import cmarkgfm
import comrak
import pypandoc
import pyromark
from docutils import nodes
from docutils.core import publish_doctree, publish_from_doctree
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound
from sphinx.application import Sphinx
from structure_truth import prune, units_of_doctree
from structure_units import (
    Units,
    is_simple_html,
    parser,
    skeleton_of_html,
    skeleton_of_tokens,
    units_of_tokens,
)

import markdown


@dataclass(frozen=True)
class Source:
    """A file of a repository."""

    root: Path
    path: Path

    @property
    def name(self) -> str:
        """Repository and path."""
        return f"{self.root.name}/{self.path.relative_to(self.root).as_posix()}"


@dataclass(frozen=True)
class Page:
    """A page with what is in it."""

    name: str
    html: str
    truth: Units


@dataclass
class LeftOut:
    """What a generator was not given."""

    blocks: int = 0
    files: int = 0
    of_blocks: int = 0
    raw: int = 0


Generator = Callable[[list[Source], LeftOut], Iterator[Page]]
Render = Callable[[str], str]

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
INCLUDE = re.compile(r"\{\{#(?:rustdoc_)?include ([^}:]+?)(?::([\w-]+))?\}\}")
ANCHOR = re.compile(r"^.*\bANCHOR(_END)?: *([\w-]+).*$")


def included(file: Path, anchor: str | None) -> str | None:
    """A file that a page includes, or the part of it that has a name."""
    if not file.is_file():
        return None
    lines, inside = [], anchor is None
    for line in file.read_text("utf-8", "replace").splitlines():
        if mark := ANCHOR.match(line):
            if mark[2] == anchor:
                inside = mark[1] is None
        elif inside:
            lines.append(line)
    return "\n".join(lines)


def read_markdown(path: Path) -> str:
    """The text of a file without front matter."""
    text = FRONT_MATTER.sub("", path.read_text("utf-8", "replace").replace("\r\n", "\n"))

    def include(match: re.Match[str]) -> str:
        text = included(path.parent / match[1].strip(), match[2])
        return match[0] if text is None else text

    return INCLUDE.sub(include, text)


def agrees(text: str, plain: Render) -> bool:
    """Whether a generator reads a Markdown text as the tokens say."""
    return skeleton_of_html(plain(text)) == skeleton_of_tokens(parser().parse(text))


def is_raw(token: Token, simple: bool) -> bool:
    """Whether a token is raw HTML, or has some, other than simple HTML where that may be."""
    raw = [child for child in (token, *(token.children or ())) if child.type in ("html_block", "html_inline")]
    return any(not (simple and is_simple_html(child)) for child in raw)


def understood(text: str, plain: Render, left_out: LeftOut, simple: bool) -> str | None:
    """The blocks of a Markdown text that a generator reads as we do, with or without simple HTML; nothing if none."""
    tokens = parser().parse(text)
    lines = text.split("\n")
    blocks: list[tuple[int, int, bool]] = []
    raw = False
    opening = [0, 0]
    for token in tokens:
        raw |= is_raw(token, simple)
        if token.level == 0 and token.nesting <= 0 and token.type != "inline":
            start, end = token.map or opening
            blocks.append((start, end, raw))
            raw = False
        elif token.level == 0 and token.nesting > 0:
            opening = token.map or [0, 0]
    inside = {at for start, end, _ in blocks for at in range(start, end)}
    references = "\n".join(line for at, line in enumerate(lines) if at not in inside and line.strip())
    ours = ["\n".join(lines[start:end]) for start, end, raw in blocks if not raw]
    left_out.of_blocks += len(ours)
    left_out.raw += len(blocks) - len(ours)
    whole = "\n\n".join([*ours, references]) + "\n"
    if ours and not agrees(whole, plain):
        kept = [block for block in ours if agrees(f"{block}\n\n{references}\n", plain)]
        left_out.blocks += len(ours) - len(kept)
        ours = kept
        whole = "\n\n".join([*ours, references]) + "\n"
        if ours and not agrees(whole, plain):
            left_out.files += 1
            return None
    return whole if ours else None


def page_of(title: str, body: str) -> str:
    """A page with nothing but a text on it."""
    return (
        '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>'
        f"{html.escape(title)}</title></head>\n<body><main><article>\n{body}\n</article></main></body></html>\n"
    )


def of_markdown(render: Render, plain: Render | None = None, simple: bool = True) -> Generator:
    """A generator for Markdown: how it renders, how with nothing added, whether it is given simple HTML."""

    def pages(sources: list[Source], left_out: LeftOut) -> Iterator[Page]:
        for source in sources:
            if source.path.suffix != ".md":
                continue
            text = understood(read_markdown(source.path), plain or render, left_out, simple)
            if text is not None:
                yield Page(source.name, page_of(source.path.stem, render(text)), units_of_tokens(parser().parse(text)))

    return pages


def pygments_in_lines(code: str, language: str, _attributes: str) -> str:
    """Code with highlighting, as markdown-it-py's documentation has it."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return ""
    return str(highlight(code, lexer, HtmlFormatter(nowrap=True)))


def python_markdown(extensions: list[Any], **configurations: Any) -> Render:
    """Python-Markdown with extensions."""

    def render(text: str) -> str:
        return str(markdown.markdown(text, extensions=extensions, extension_configs=configurations))

    return render


def comrak_render(options: Callable[[comrak.RenderOptions], None] | None, **extensions: Any) -> Render:
    """Comrak with GitHub's tables."""
    extension = comrak.ExtensionOptions()
    extension.table = extension.strikethrough = True
    for name, value in extensions.items():
        setattr(extension, name, value)
    rendering = comrak.RenderOptions()
    rendering.unsafe_ = True
    if options is not None:
        options(rendering)
    return lambda text: str(comrak.render_markdown(text, extension_options=extension, render_options=rendering))


def with_language_on_pre(options: comrak.RenderOptions) -> None:
    """As GitHub writes code."""
    options.github_pre_lang = True
    options.full_info_string = True


def pulldown(**options: Any) -> Render:
    """pulldown-cmark, which mdBook renders with."""
    enabled = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
    return lambda text: str(pyromark.html(text, options=enabled, **options))


Batch = Callable[[list[str]], list[str]]


def of_batch(render: Batch, plain: Batch, cannot: tuple[str, ...] = ()) -> Generator:
    """A generator for many Markdown texts at once. Files with what it reads as its own are left out."""

    def pages(sources: list[Source], left_out: LeftOut) -> Iterator[Page]:
        texts = {}
        for source in sources:
            if source.path.suffix == ".md":
                text = understood(
                    read_markdown(source.path), lambda text: str(parser().render(text)), left_out, simple=True
                )
                if text is not None and not any(words in text for words in cannot):
                    texts[source] = FENCE.sub(r"\1", text)
                left_out.files += text is not None and source not in texts
        simple, finished = plain(list(texts.values())), render(list(texts.values()))
        for (source, text), without, body in zip(texts.items(), simple, finished, strict=True):
            tokens = parser().parse(text)
            if skeleton_of_html(without) == skeleton_of_tokens(tokens):
                yield Page(source.name, page_of(source.path.stem, body), units_of_tokens(tokens))
            else:
                left_out.files += 1

    return pages


# What follows a language, which some read as attributes.
FENCE = re.compile(r"^( *(?:```+|~~~+) *[^\s`{,]*)[^`\n]*$", re.M)

PANDOC = """
local folder, count, numbers = arg[1], tonumber(arg[2]), arg[3] == 'numbers'
local function number(block)
  if #block.classes == 0 then block.classes:insert('text') end
  block.classes:insert('numberLines')
  return block
end
for at = 0, count - 1 do
  local file = io.open(folder .. '/' .. at .. '.md')
  local document = pandoc.read(file:read('a'), 'commonmark+pipe_tables+strikeout')
  file:close()
  if numbers then document = document:walk({CodeBlock = number}) end
  local html = io.open(folder .. '/' .. at .. '.html', 'w')
  html:write(pandoc.write(document, 'html', {wrap_text = 'none'}))
  html:close()
end
"""


def pandoc(texts: list[str], numbers: bool = False) -> list[str]:
    """Pandoc's HTML of CommonMark, code highlighted where its language is known, or all with numbered lines."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, text in enumerate(texts):
            (folder / f"{number}.md").write_text(text, "utf-8")
        script = folder / "pages.lua"
        script.write_text(PANDOC)
        arguments = [str(len(texts)), "numbers" if numbers else "none"]
        subprocess.run([str(pypandoc.get_pandoc_path()), "lua", script, folder, *arguments], check=True)
        return [(folder / f"{number}.html").read_text("utf-8") for number in range(len(texts))]


HUGO_SITE = """
baseURL = "http://pages.invalid/"
disableKinds = ["home", "RSS", "section", "sitemap", "taxonomy", "term", "404"]
[markup.goldmark]
[markup.goldmark.parser]
attribute = {{ title = false, block = false }}
[markup.goldmark.extensions]
definitionList = false
footnote = false
linkify = false
taskList = false
typographer = {{ disable = true }}
[markup.goldmark.renderer]
unsafe = true
[markup.highlight]
codeFences = {fences}
lineNos = {numbers}
lineNumbersInTable = {table}
noClasses = {styles}
guessSyntax = {fences}
"""


def hugo(numbers: bool = False, table: bool = False, styles: bool = False, fences: bool = True) -> Batch:
    """A site by Hugo: Goldmark, and Chroma for code, with style attributes (Hugo's default) or classes."""
    switches = {"fences": fences, "numbers": numbers, "table": table, "styles": styles}
    settings = HUGO_SITE.format(**{key: str(value).lower() for key, value in switches.items()})

    def render(texts: list[str]) -> list[str]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            layouts = folder / "layouts" / "_default"
            content = folder / "content"
            layouts.mkdir(parents=True)
            content.mkdir()
            (folder / "hugo.toml").write_text(settings)
            (layouts / "single.html").write_text("{{ .Content }}")
            for number, text in enumerate(texts):
                (content / f"{number}.md").write_text("---\ntitle: page\n---\n" + text, "utf-8")
            program = Path(sys.executable).parent / "hugo"
            subprocess.run([program, "--quiet", "--source", folder], check=True, stderr=subprocess.DEVNULL)
            return [(folder / "public" / str(number) / "index.html").read_text("utf-8") for number in range(len(texts))]

    return render


def of_hugo(**options: bool) -> Generator:
    """Hugo, with options for its code."""
    return of_batch(hugo(**options), hugo(fences=False), cannot=("{{<", "{{%"))


CMARK = ("table", "strikethrough")
GITHUB = cmarkgfm.Options.CMARK_OPT_GITHUB_PRE_LANG | cmarkgfm.Options.CMARK_OPT_UNSAFE
PLAIN_PYTHON_MARKDOWN = python_markdown(["tables", "fenced_code", "sane_lists"])
SUPERFENCES = ["tables", "pymdownx.superfences", "pymdownx.highlight", "sane_lists", "toc"]


def markdown_it_plain() -> MarkdownIt:
    """The parser of the truth as a generator."""
    return parser()


def rst_sources(sources: list[Source]) -> list[Source]:
    """Those in reStructuredText."""
    return [source for source in sources if source.path.suffix == ".rst"]


CODE_DIRECTIVE = re.compile(r"^( *\.\. (?:code|code-block|sourcecode):: *\S+ *\n)(?=\n*( +))", re.M)
QUIET = {
    "report_level": 5,
    "halt_level": 5,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "doctitle_xform": False,
    "docinfo_xform": False,
    "initial_header_level": 1,
    "embed_stylesheet": False,
    "stylesheet_path": "",
    "output_encoding": "unicode",
    "warning_stream": False,
    "_disable_config": True,
}


def of_docutils(writer: str, numbers: bool = False) -> Generator:
    """Docutils with one of its writers, with numbers for lines of code that names its language."""

    def pages(sources: list[Source], left_out: LeftOut) -> Iterator[Page]:
        for source in rst_sources(sources):
            text = source.path.read_text("utf-8")
            document: nodes.document = publish_doctree(text, str(source.path), settings_overrides=QUIET)
            prune(document)
            truth = units_of_doctree(document)
            if numbers:
                text = CODE_DIRECTIVE.sub(r"\1\2:number-lines:\n", text)
                document = publish_doctree(text, str(source.path), settings_overrides=QUIET)
                prune(document)
            page = publish_from_doctree(document, writer=writer, settings_overrides=QUIET)
            yield Page(source.name, str(page), truth)

    return pages


SPHINX_PAGE = """<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>{{ title|striptags|e }}</title></head>
<body><div class="document"><div class="documentwrapper"><div class="bodywrapper">
<div class="body" role="main">{{ body }}</div></div></div></div></body></html>
"""


def of_sphinx(numbers: str | None = None) -> Generator:
    """Sphinx without a theme's navigation, with line numbers for all code: in a table or in the lines."""

    def pages(sources: list[Source], left_out: LeftOut) -> Iterator[Page]:
        projects: dict[Path, dict[str, str]] = {}
        for source in rst_sources(sources):
            if (root := project_of(source)) is None:
                left_out.files += 1
            else:
                name = source.path.relative_to(root).with_suffix("").as_posix()
                projects.setdefault(root, {})[name] = source.name
        for root, names in projects.items():
            truths: dict[str, Units] = {}

            def resolved(app: Sphinx, document: nodes.document, name: str, truths: dict[str, Units] = truths) -> None:
                prune(document)
                truths[name] = units_of_doctree(document)

            with tempfile.TemporaryDirectory() as folder:
                templates = Path(folder, "templates")
                templates.mkdir()
                (templates / "page.html").write_text(SPHINX_PAGE)
                settings: dict[str, Any] = {"templates_path": [str(templates)], "html_theme": "basic"}
                settings |= {"exclude_patterns": ["_build", "**/_build"], "html_copy_source": False}
                if numbers is not None:
                    settings["rst_prolog"] = ".. highlight:: default\n   :linenothreshold: 1\n"
                    settings["html_codeblock_linenos_style"] = numbers
                out = Path(folder, "html")
                app = Sphinx(
                    root, None, out, Path(folder, "doctrees"), "html", confoverrides=settings, status=None, warning=None
                )
                app.connect("doctree-resolved", resolved)
                app.build()
                for name, title in names.items():
                    file = out / f"{name}.html"
                    if name in truths and file.is_file():
                        yield Page(title, file.read_text("utf-8"), truths[name])
                    else:
                        left_out.files += 1

    return pages


def project_of(source: Source) -> Path | None:
    """The folder that Sphinx is run in, if there is one."""
    folders = (folder for folder in source.path.parents if folder.is_relative_to(source.root))
    return next((folder for folder in folders if (folder / "conf.py").is_file()), None)


GENERATORS: dict[str, Generator] = {
    "markdown-it": of_markdown(lambda text: str(markdown_it_plain().render(text))),
    "markdown-it, highlighted": of_markdown(
        lambda text: str(
            MarkdownIt("commonmark", {"highlight": pygments_in_lines})
            .enable(["table", "strikethrough"])
            .use(anchors_plugin, permalink=True, max_level=6)
            .render(text)
        ),
        lambda text: str(markdown_it_plain().render(text)),
    ),
    "Python-Markdown": of_markdown(
        python_markdown(
            ["tables", "fenced_code", "sane_lists", "codehilite", "toc"],
            codehilite={"guess_lang": False},
            toc={"permalink": True, "marker": ""},
        ),
        PLAIN_PYTHON_MARKDOWN,
        simple=False,
    ),
    "Python-Markdown, numbers in a table": of_markdown(
        python_markdown(
            ["tables", "fenced_code", "sane_lists", "codehilite"],
            codehilite={"linenums": True, "guess_lang": False},
        ),
        PLAIN_PYTHON_MARKDOWN,
        simple=False,
    ),
    "Python-Markdown, numbers in lines": of_markdown(
        python_markdown(
            ["tables", "fenced_code", "sane_lists", "codehilite"],
            codehilite={"linenos": "inline", "guess_lang": False},
        ),
        PLAIN_PYTHON_MARKDOWN,
        simple=False,
    ),
    "Python-Markdown, numbers in lines, styles": of_markdown(
        python_markdown(
            ["tables", "fenced_code", "sane_lists", "codehilite"],
            codehilite={"linenos": "inline", "noclasses": True, "guess_lang": False},
        ),
        PLAIN_PYTHON_MARKDOWN,
        simple=False,
    ),
    "PyMdown, numbers in a table": of_markdown(
        python_markdown(
            SUPERFENCES,
            **{"pymdownx.highlight": {"linenums": True}, "toc": {"permalink": "¶"}},
        ),
        python_markdown(["tables", "pymdownx.superfences", "sane_lists"]),
        simple=False,
    ),
    "PyMdown, anchored lines": of_markdown(
        python_markdown(
            SUPERFENCES,
            **{
                "pymdownx.highlight": {
                    "linenums": True,
                    "linenums_style": "pymdownx-inline",
                    "anchor_linenums": True,
                    "line_spans": "__span",
                },
                "toc": {"permalink": "#"},
            },
        ),
        python_markdown(["tables", "pymdownx.superfences", "sane_lists"]),
        simple=False,
    ),
    "pulldown-cmark": of_markdown(pulldown()),
    "pulldown-cmark, highlighted": of_markdown(pulldown(highlight=pyromark.Theme.INSPIRED_GITHUB), pulldown()),
    "cmark-gfm": of_markdown(
        lambda text: str(cmarkgfm.markdown_to_html_with_extensions(text, options=GITHUB, extensions=list(CMARK))),
    ),
    "Comrak": of_markdown(comrak_render(with_language_on_pre, header_id_prefix="user-content-"), comrak_render(None)),
    "Pandoc": of_batch(pandoc, pandoc),
    "Pandoc, numbers": of_batch(partial(pandoc, numbers=True), pandoc),
    "Hugo": of_hugo(styles=True),
    "Hugo, numbers in a table": of_hugo(numbers=True, table=True),
    "Hugo, numbers in a table, styles": of_hugo(numbers=True, table=True, styles=True),
    "Hugo, numbers in lines": of_hugo(numbers=True),
    "Hugo, numbers in lines, styles": of_hugo(numbers=True, styles=True),
    "docutils": of_docutils("html5"),
    "docutils, numbers": of_docutils("html5", numbers=True),
    "docutils, HTML 4": of_docutils("html4"),
    "Sphinx": of_sphinx(),
    "Sphinx, numbers in a table": of_sphinx("table"),
    "Sphinx, numbers in lines": of_sphinx("inline"),
}

# Those that write the language of code as it is in the source.
WITH_LANGUAGES = (
    "markdown-it",
    "pulldown-cmark",
    "cmark-gfm",
    "Comrak",
    "Hugo",
    "Hugo, numbers in a table",
)
