"""How definitions are recognised in files of each language."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple


class Ends(Enum):
    """What opens a definition after its name and parameters."""

    BRACE = b"{"
    COLON = b":"
    LINE = b"\n"
    SECTION = b""


class Language(NamedTuple):
    """How files of one kind are read.

    `masks` matches comments, and strings in the group "string". A definition's group "type" is one that holds
    constructors, "text" one without definitions. `bare` is a definition at the left edge, or directly in
    a type. `skipped` lines end nothing; among sections they are titles if a line is drawn below them.
    """

    definition: re.Pattern[bytes]
    masks: re.Pattern[bytes] | None = None
    ends: Ends = Ends.BRACE
    closers: tuple[bytes, ...] = (b"}",)
    skipped: re.Pattern[bytes] | None = None
    bare: re.Pattern[bytes] | None = None


@lru_cache(256)
def language_of(path: str) -> Language | None:
    """Return the language of a file name, None for an unknown one."""
    name = path.rpartition("/")[2].lower()
    return _BY_NAME.get(name) or _BY_NAME.get(name.rpartition(".")[2] if "." in name else "")


def _masks(*comments: bytes, strings: tuple[bytes, ...] = ()) -> re.Pattern[bytes]:
    texts = (b"(?P<string>" + b"|".join(strings) + b")",) if strings else ()
    return re.compile(b"|".join((*comments, *texts)), re.DOTALL | re.MULTILINE)


_DOUBLE = rb'"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
_SINGLE = rb"'[^'\\\n]*(?:\\.[^'\\\n]*)*'"
_TRIPLE = rb'"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""'
_TRIPLE_SINGLE = rb"'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''"
_BACKTICKS = rb"`[^`\\]*(?:\\.[^`\\]*)*`"
_SLASHES, _STARS, _HASH = rb"//[^\n]*", rb"/\*.*?\*/", rb"(?:^|(?<=[\s;]))#[^\n]*"
_DIRECTIVE = rb"^[ \t]*#[^\\\n]*(?:\\.[^\\\n]*)*"
_RAW = rb'R"(?P<raw>[^\s()\\]{0,16})\(.*?\)(?P=raw)"'
_HERE = (
    rb"<<[-~<]?[ \t]*(?:\"(?P<here_a>\w+)\"|'(?P<here_b>\w+)'|\\?(?P<here_c>[A-Za-z_]\w*))[^\n]*\n"
    rb"(?:.*?\n)??[ \t]*(?:(?P=here_a)|(?P=here_b)|(?P=here_c))\b"
)
# An operator or bracket before it, as a quotient has none.
_PATTERN = (
    rb"[=(,:;!&|?{}\[\n][ \t]*/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\n\\\[])+/"
    rb"|\breturn /(?:\\.|[^/\n\\])+/"
)
_END = rb"^__(?:END|DATA)__$.*"

_NO_CALL = (
    rb"(?!(?:if|for|while|switch|do|else|case|return|throw|new|delete|goto|using|catch|try|sizeof|foreach|lock"
    rb"|fixed|synchronized|default|assert|yield|await|typeof|void|with|in|of|not|elif|when|match|until|unless)\b)"
)
_NO_STATEMENT = _NO_CALL.replace(b"|void", b"")
_MODIFIERS = (
    rb"(?:(?:export|default|declare|async|public|private|protected|internal|static|final|abstract|override|pub"
    rb"|inline|extern|unsafe|sealed|partial|virtual|readonly|const|open|data|suspend|operator|infix|fileprivate"
    rb"|mutating|implicit|lazy|case|annotation|companion|inner|indirect|convenience|required|strictfp|file|ref"
    rb"|nonisolated|base|mixin)(?:\([\w ]+\))?[ \t]+|@\w[\w.]*(?:\([^()\n]*\))?[ \t]+)*"
)
_KEYWORDS = re.compile(
    _MODIFIERS + rb"(?:(?:func|fun|def|function|init|deinit|subscript)\b[ \t]*[^\s=]"
    rb"|(?P<type>class|struct|enum|interface|protocol|extension|trait|object|actor|namespace|record)[ \t]+\w)"
)
_C_FUNCTION = (
    rb"[\w:<>,*&~\[\]? \t]*[\w>*&\]][ \t*&]*[ \t*&]"
    rb"(?:[\w:<>]*\boperator[ \t]*[^\s\w]{1,3}|~?[\w:]+)[ \t]*(?=\()"
)
_C_LIKE = re.compile(
    rb"(?:template[ \t]*<[^;{}\n]*>[ \t]*)?"
    + _MODIFIERS
    + rb"(?:(?P<type>class|struct|union|enum|namespace|interface|record|@interface|mixin|extension)\b"
    rb"(?![^\n;{]*[=()])"
    rb"|" + _NO_STATEMENT + _C_FUNCTION + rb")"
)
_C_BARE = re.compile(
    _NO_CALL
    + rb"(?:[\w:<>,]*\boperator[ \t]*[^\s\w]{1,3}|~?[A-Za-z_][\w:~]*(?:<[^()\n]*>)?(?:::~?\w+)?)[ \t]*(?=\()"
)
_C_SKIPPED = re.compile(
    rb"(?:public|protected|private|signals|Q_SIGNALS)\b[\w \t]*:(?!:)|[A-Za-z_]\w*[ \t]*:[ \t]*\r?\Z"
)
_C_MASKS = _masks(_DIRECTIVE, _SLASHES, _STARS, strings=(_RAW, _TRIPLE, _DOUBLE, rb"'(?:[^'\\\n]|\\.)+'"))
_ARROW = (
    rb"(?:async\b[ \t]*)?(?:function\b[^\n(]*|[\w$]+[ \t]*=>"
    rb"|\((?:[^()\n]*\)[ \t]*(?::[^=\n{]+)?=>|[ \t]*\r?\Z))"
)
_SCRIPT = re.compile(
    _MODIFIERS
    + rb"(?:function\b[ \t*]*(?=[\w$(])|(?P<type>class|interface|enum|namespace|module)[ \t]+[\w$'\"]"
    rb"|(?:const|let|var)[ \t]+[\w$]+[ \t]*(?::[^=\n]+)?=[ \t]*"
    + _ARROW
    + rb"|[\w$.]+[ \t]*[:=][ \t]*"
    + _ARROW
    + rb"|(?:(?:get|set|async)[ \t]+|\*[ \t]*)?"
    + _NO_CALL
    + rb"[\w$#]+[ \t]*(?:<[^()\n]*>)?(?=\())"
)
_BRACES = _masks(_SLASHES, _STARS, strings=(_TRIPLE, _DOUBLE, _SINGLE))
_HEADINGS = _masks(
    rb"<!--.*?-->",
    strings=(
        rb"\A---[ \t]*\n.*?^(?:---|\.\.\.)[ \t]*$",
        rb"^ {0,3}(?P<fence>```+|~~~+)[^\n]*\n.*?(?:^[ \t]*(?P=fence)|\Z)",
    ),
)

_PYTHON = Language(
    re.compile(rb"(?:async[ \t]+)?def[ \t]+\w+|(?P<type>class)[ \t]+\w+"),
    _masks(rb"#[^\n]*", strings=(_TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)),
    Ends.COLON,
    (),
)
_C = Language(_C_LIKE, _C_MASKS, skipped=_C_SKIPPED, bare=_C_BARE)
_JAVA = Language(_C_LIKE, _masks(_SLASHES, _STARS, strings=(_TRIPLE, _DOUBLE, _SINGLE)), bare=_C_BARE)
_C_SHARP = Language(
    _C_LIKE,
    _masks(
        _DIRECTIVE,
        _SLASHES,
        _STARS,
        strings=(_TRIPLE, rb'@\$?"(?:[^"]|"")*"|\$@"(?:[^"]|"")*"', _DOUBLE, _SINGLE),
    ),
    bare=_C_BARE,
)
_JAVASCRIPT = Language(_SCRIPT, _masks(_SLASHES, _STARS, _PATTERN, strings=(_BACKTICKS, _DOUBLE, _SINGLE)))
_GO = Language(
    re.compile(
        rb"func[ \t]+(?:\([^()\n]*\)[ \t]*)?\w+|type[ \t]+\w+(?:\[[^\n]*\])?[ \t]+(?:struct|interface)\b"
    ),
    _masks(_SLASHES, _STARS, strings=(rb"`[^`]*`", _DOUBLE, rb"'(?:[^'\\\n]|\\.)+'")),
)
_RUST = Language(
    re.compile(
        rb"(?:pub(?:\([\w: ]+\))?[ \t]+|(?:async|const|unsafe|default)[ \t]+|extern[ \t]+(?:\"\S*[ \t]+)?)*"
        rb"(?:fn[ \t]+\w+|(?:impl|trait|struct|enum|union|mod)\b|macro_rules![ \t]*\w+)"
    ),
    _masks(
        _SLASHES, _STARS, strings=(rb'r(?P<raw>#*)".*?"(?P=raw)', _DOUBLE, rb"'(?:[^'\\\n]|\\[^\n]{1,8}?)'")
    ),
)
_OTHER_BRACES = Language(_KEYWORDS, _BRACES)
_PHP = Language(
    _KEYWORDS,
    _masks(
        _SLASHES, _STARS, _HASH, strings=(_HERE, rb'"[^"\\]*(?:\\.[^"\\]*)*"', rb"'[^'\\]*(?:\\.[^'\\]*)*'")
    ),
)
_PERL = Language(
    re.compile(rb"(?:my[ \t]+|our[ \t]+)?sub[ \t]+[\w:']+"),
    _masks(rb"^=[a-z]\w*.*?(?:^=cut\b[^\n]*|\Z)", _END, _HASH, strings=(_HERE,)),
)
_SHELL = Language(
    re.compile(
        rb"(?:function[ \t]+[\w:.-]+(?:[ \t]*\([ \t]*\))?|[\w:.-]+[ \t]*\([ \t]*\))[ \t]*(?=\{|\r?\Z)"
    ),
    _masks(rb"\\.", _HASH, strings=(_HERE, rb'"[^"\\]*(?:\\.[^"\\]*)*"', rb"'[^']*'")),
)
_RUBY = Language(
    re.compile(
        rb"(?:(?:private|public|protected|private_class_method)[ \t]+)?def[ \t]+[\w.]+[?!=]?"
        rb"|(?:class|module)[ \t]+[A-Z]"
    ),
    _masks(rb"^=begin\b.*?^=end\b[^\n]*", _END, _HASH, strings=(_HERE, _DOUBLE, _SINGLE)),
    Ends.LINE,
    (b"end",),
)
_LUA = Language(
    re.compile(rb"(?:local[ \t]+)?function\b[ \t]*[\w.:]+|(?:local[ \t]+)?[\w.]+[ \t]*=[ \t]*function\b"),
    _masks(
        rb"--\[(?P<long>=*)\[.*?\](?P=long)\]",
        rb"--[^\n]*",
        strings=(rb"\[(?P<level>=*)\[.*?\](?P=level)\]", _DOUBLE, _SINGLE),
    ),
    Ends.LINE,
    (b"end",),
)
_CSS = Language(
    re.compile(rb"[^\s{}@;/\"][^{};]*(?=\{)|@[\w-]+[^{};]*(?=\{)"), _masks(_STARS, strings=(_DOUBLE, _SINGLE))
)
_SCSS = _CSS._replace(masks=_masks(_STARS, rb"(?:^|(?<=[\s;{}]))//[^\n]*", strings=(_DOUBLE, _SINGLE)))
_SQL = Language(
    re.compile(
        rb"(?i:create)[ \t]+(?i:or[ \t]+replace[ \t]+|temp(?:orary)?[ \t]+|unique[ \t]+|materialized[ \t]+)*"
        rb"(?i:table|view|function|procedure|trigger|type|package)\b"
    ),
    _masks(rb"--[^\n]*", _STARS, strings=(_SINGLE,)),
    Ends.LINE,
    (),
)
_MAKE = Language(
    re.compile(rb"[\w./%$(){}-][^:=#]*::?(?![:=])[^=]*\Z"),
    _masks(_HASH),
    Ends.LINE,
    (),
    re.compile(rb"(?:ifn?eq|ifn?def|else|endif)\b"),
)
_YAML = Language(
    re.compile(
        rb"(?:\"[^\"]*\"|'[^']*'|(?!- )[^\s#:&*!|>'\"%@`\[\]{},][^#:]*):"
        rb"[ \t]*(?:[&!]\S+[ \t]*)*(?P<text>[|>][-+\d]*)?[ \t\r]*\Z"
    ),
    _masks(rb"(?:^|(?<=[ \t]))#[^\n]*"),
    Ends.LINE,
    (),
)
_JSON = Language(re.compile(rb'"(?:[^"\\]|\\.)*"[ \t]*:[ \t]*[{\[][ \t\r]*\Z'), None, Ends.LINE, (b"}", b"]"))
_MARKDOWN = Language(
    re.compile(rb" {0,3}(#{1,6})(?:[ \t]|\r?\Z)"),
    _HEADINGS,
    Ends.SECTION,
    skipped=re.compile(rb" {0,3}[^\s>|\x01-]"),
)
_TOML = Language(
    re.compile(rb"(\[)[^\n]*\]"),
    _masks(rb"#[^\n]*", strings=(_TRIPLE, _TRIPLE_SINGLE, _DOUBLE, _SINGLE)),
    Ends.SECTION,
)
_INI = Language(
    re.compile(rb"[ \t]*(\[)[^\[\]\n]+\][ \t]*(?:[#;][^\n]*)?\r?\Z"),
    _masks(rb"^[ \t]*[#;][^\n]*"),
    Ends.SECTION,
)

_BY_NAME = {
    name: language
    for names, language in (
        ("py pyi pyw bzl", _PYTHON),
        ("c h cc cpp cxx c++ hh hpp hxx h++ ipp inl ino cu cuh", _C),
        ("java", _JAVA),
        ("dart", _C),
        ("cs", _C_SHARP),
        ("js jsx mjs cjs ts tsx mts cts", _JAVASCRIPT),
        ("go", _GO),
        ("rs", _RUST),
        ("kt kts swift scala groovy gradle", _OTHER_BRACES),
        ("php", _PHP),
        ("pl pm t", _PERL),
        ("sh bash zsh ksh bats", _SHELL),
        ("rb rake gemspec gemfile rakefile", _RUBY),
        ("lua", _LUA),
        ("css", _CSS),
        ("scss less", _SCSS),
        ("sql", _SQL),
        ("mk makefile gnumakefile", _MAKE),
        ("yaml yml", _YAML),
        ("json", _JSON),
        ("md markdown", _MARKDOWN),
        ("toml", _TOML),
        ("ini cfg conf service desktop editorconfig", _INI),
    )
    for name in names.split()
}
