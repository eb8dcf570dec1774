"""Choice of lexers by file name and content, without Qt.

A name that several languages claim is decided by content. Where the content fits none of them, or several,
there is no lexer, as one language's code is another's comment (`%` in Perl and Prolog).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pygments.lexer import Lexer

CONTENT_CHARACTERS = 16_384
"""Characters of a text's beginning that decide its language."""

_C = r"^#\s*(include|define|undef|if|ifdef|ifndef|pragma)\b"
_DELPHI = r"(?i)^(program|unit|library)\s+\w+\s*;|\{\$(mode|ifdef|define|include|i)\b"
_FORTH = r"^:\s+\S+\s"
_MAPLE = r":=|\bproc\s*\(|^end\s+(proc|module)\b"
_MASON = r"^<%(args|init|perl|method|def|once|shared)\b|<&\s|^%\s*(my\s+[$@%]|if\s*\(|foreach\b|\}|\$\w)"
_MODULA2 = r"^(DEFINITION\s+|IMPLEMENTATION\s+)?MODULE\s+\w+"
_OBJECTIVE_C = (
    r"^[@#](interface|implementation|protocol|import|include|class|property|end|define|if\w*|pragma)\b"
)
_C_STATEMENT = r"^(//|/\*|(static|extern|typedef|struct|void|int|char|return)\b.*[;{(*])"
_PERL = (
    r"^(use|no)\s+(strict|warnings|utf8|lib|base|parent|vars|constant|v5|5|[A-Z]\w*)\b|^package\s+[\w:]+\s*[;{]"
    r"|\b(my|our|local)\s*[($@%]|^sub\s+\w+\s*[{(]|[$@]\w+\s*([-+.]?=|->|[;,)\[{])|%\w+\s*[=;,)]"
    r"|<<['\"]\w+|^=(pod|head\d|cut)\b"
)
_PERL_5 = rf"\A(?!((#.*)?\n)*use\s+v6)[\s\S]*?(?m:{_PERL})"
_PROLOG = r"^:-\s*\w|^[a-z]\w*(\([^)\n]*\))?\s*(:-|-->)|^[a-z]\w*\([^\n]*\)\.\s*$"
_RAKU = r"\A((#.*)?\n)*use\s+v6\b"
_VISUAL_PROLOG = r"^(implement|open core|end (implement|class|interface)|clauses|predicates|domains)\b"

CLAIMED: dict[str, dict[str, str]] = {
    ".asm": {
        "nasm": r"(?i)^(section|segment|global|bits|org|default rel)\b|^%\w",
        "tasm": r"(?i)^(\.model|\.code|\.data|ideal)\b",
    },
    ".b": {"limbo": r"^implement\s+\w+\s*;|^include\s+\"[\w.]+\.m\"\s*;"},
    ".bas": {
        "cbmbas": r"\A\s*\d+\s",
        "qbasic": r"(?i)^(declare\s+(sub|function)\b.*\n|screen\s+\d|cls\s*$|defint\s)",
        "vbnet": r"(?i)^(attribute\s+vb_name|option\s+(explicit|strict)|imports\s)",
    },
    ".bb": {
        "bitbake": r"^(SUMMARY|DESCRIPTION|LICENSE|SRC_URI\w*)\s*[?:+.]*=|^inherit\s+\w",
        "blitzbasic": r"(?i)^(graphics\s+\d|end\s+function|setbuffer\s|type\s+\w+\s*$)",
    },
    ".bf": {},
    ".bug": {"bugs": r""},
    ".cl": {
        "common-lisp": r"(?i)^\((def\w+|in-package|setq|let|require|load)\b",
        "c": rf"{_C}|\b__?(kernel|global)\b|^kernel\s+void\b",
        "visualprolog": _VISUAL_PROLOG,
    },
    ".cls": {
        "openedge": r"(?i)^class\s+[\w.]+(\s+(inherits|implements)\s+[\w.]+)*\s*:",
        "tex": r"^\\(NeedsTeXFormat|ProvidesClass|LoadClass|RequirePackage)\b",
        "vbnet": r"^Attribute VB_Name\b|^VERSION \d\.\d CLASS",
    },
    ".cp": {"componentpascal": _MODULA2, "cpp": _C},
    ".d": {
        "d": r"^(module|import)\s+[\w., :=]+;|\bunittest\b",
        "make": r"^[^\s:#]+\.(o|lo|d|obj|rmeta|rlib)\b[^:\n]*:(\s|$)",
    },
    ".def": {
        "c": rf"{_C}|^[A-Z][A-Z_0-9]*\s*\(",
        "modula2": _MODULA2,
        "singularity": r"(?i)^bootstrap\s*:",
    },
    ".do": {
        "bash": r"^(redo(-\w+)?|exec|set\s+-\w|esac|fi)\b|\$[123]\b",
        "stata": r"^(use\s|gen(erate)?\s|replace\s|reg(ress)?\s|sysuse\s|foreach\s+\w+\s+(in|of)\b)",
        "tcl": r"^(vlib|vlog|vcom|vsim|add\s+wave|proc\s+\w+\s*\{)",
    },
    ".e": {"eiffel": r"(?i)^(deferred\s+|expanded\s+)?class\s*$|^feature\b|^class\s+[A-Z_]+\s*$"},
    ".ecl": {"ecl": r":=|^(?i:import|export|output)\b", "prolog": _PROLOG},
    ".es": {
        "erlang": r"^-(module|export|define|record|include|mode)\b|^main\s*\(.*\)\s*->",
        "javascript": r"^(import|export|const|let|var|function|class)\s|=>|[\"']use strict",
    },
    ".f": {"forth": _FORTH, "fortranfixed": r"(?i)^(program|subroutine|integer|real|implicit|call|end)\b"},
    ".fs": {
        "forth": _FORTH,
        "fsharp": r"^(module|namespace|open|let|type)\s|^#light|^\[<",
        "glsl": r"^#version\b|^(precision|uniform|varying)\s|\bvoid\s+main\s*\(",
    },
    ".g": {
        "antlr": r"^((lexer|parser|tree)\s+)?grammar\s+\w+|^class\s+\w+\s+extends\s+\w+",
        "gap": r"\b(Declare|Install)(Operation|Method|GlobalFunction)\b|:=\s*function\s*\(",
    },
    ".i": {
        "c": r"\A# \d+ \"",
        "swig": r"^%(module|include|inline|apply|typemap|ignore|rename|template|extend)\b|^%\{",
        "visualprolog": _VISUAL_PROLOG,
    },
    ".inc": {
        "bitbake": r"^[A-Z_]+(:\w+)*\s*[?:+.]*=\s*\"|^(inherit|require)\s+\S+\s*$",
        "c": rf"{_C}|{_C_STATEMENT}",
        "delphi": _DELPHI,
        "php": r"<\?(php|=)",
        "pov": r"^#(declare|local|macro|version|while)\b",
    },
    ".inf": {
        "inform6": r"^(Constant|Object|Include|Release|Verb|Global|Class)\s+[\"\w]|^\[\s*\w+[^\]\n]*;",
        "ini": r"^\[[^\]\n;]+\]\s*$",
    },
    ".j": {
        "jasmin": r"^\.(class|super|method|field|source|interface)\b",
        "objective-j": r"^@(implementation|import|class|protocol|end)\b",
    },
    ".k": {"k": r"^\.?\w+:\{"},
    ".m": {
        "mason": _MASON,
        "mathematica": r"\A\s*\(\*|\bBeginPackage\[|^\w+\[.*\]\s*:=",
        "matlab": r"^(function|classdef)\b|^(end|endfunction)\s*;?\s*$|^%+ ?[A-Z][\w-]* [a-z]",
        "objective-c": rf"{_OBJECTIVE_C}|{_C_STATEMENT}",
    },
    ".mac": {
        "easytrieve": r"^(JOB\s+INPUT|FILE\s+\w+|REPORT\s+\w+|MACRO\b)",
        "maxima": r":=|^(load|kill|block)\s*\(",
    },
    ".mi": {"maple": _MAPLE, "mason": _MASON},
    ".mm": {"maple": _MAPLE, "objective-c++": rf"{_OBJECTIVE_C}|{_C_STATEMENT}|\bnamespace\s"},
    ".mod": {"modula2": _MODULA2},
    ".n": {
        "ezhil": r"[\u0b80-\u0bff]",
        "nemerle": r"^(using\s+[\w.]+;|namespace\s|module\s|public\s|class\s)",
    },
    ".p": {
        "delphi": _DELPHI,
        "openedge": r"(?i)^(define|def)\s+(input|output|variable|temp-table|buffer|shared)\b|^for\s+each\b",
        "pawn": r"^(#include\s*<|public\s|stock\s|native\s|forward\s|new\s)",
    },
    ".pl": {"perl": _PERL_5, "prolog": _PROLOG, "raku": _RAKU},
    ".pm": {
        "perl": _PERL_5,
        "promela": r"^(active\s*(\[\w+\]\s*)?)?proctype\b|^(mtype|chan)\b",
        "raku": _RAKU,
    },
    ".pp": {
        "delphi": _DELPHI,
        "puppet": r"^(class|define)\s+[\w:]+\s*[({]|^node\s+\S+\s*\{|^(package|file|service)\s*\{",
    },
    ".pro": {"idl": r"(?i)^(pro|function)\s+\w+\s*(,|$)", "prolog": _PROLOG, "visualprolog": _VISUAL_PROLOG},
    ".q": {"q": r"^\.?[\w.]+:\{\[|^\\[dl] \S", "sql": r"(?i)^(create|insert|drop|alter)\s+\w+"},
    ".R": {"r": r""},
    ".r": {"rebol": r"(?i)^REBOL\s*\[", "r": r"<-|\b(library|require|source)\s*\(|\bfunction\s*\("},
    ".rl": {
        "ragel-c": rf"{_C}",
        "ragel-java": r"^(public\s+)?(final\s+)?class\s+\w+\s*\{?\s*$|^import\s+[\w.]+;",
        "ragel-ruby": r"^(require\s+['\"]|def\s+\w+[^{;]*$)",
    },
    ".s": {"gas": r""},
    ".sc": {
        "python": r"^(import\s+\w+\s*$|from\s+\w+\s+import\b|def\s.*:\s*$)|^(Import|Export)\(|^env\b",
        "scala": r"^import\s+[\w.]+\.(_|\{|[A-Z])|^(val|def|object|case class)\s+\w+.*[={]|\$ivy",
        "supercollider": r"\bSynthDef\b|^\+?\s*[A-Z]\w+\s*(:\s*[A-Z]\w+\s*)?\{",
    },
    ".scd": {
        "scdoc": r"\A\s*[\w.-]+\(\d\w*\)",
        "supercollider": r"\bSynthDef\b|\bServer\b|\.(play|boot)\b|~\w+\s*=",
    },
    ".sql": {"sql": r""},
    ".st": {"smalltalk": r"methodsFor:|\bsubclass:\s*#|^[A-Z]\w*\s+(class\s+)?(>>|extend\s*\[)"},
    ".t": {
        "perl": _PERL_5,
        "raku": _RAKU,
        "tads3": r"^#include\s+[<\"](adv3|tads)|^#charset\b|^\+*\s*\w+\s*:\s*(Room|Thing|Actor|Person)\b",
    },
    ".toc": {"tex": r"^\\\w+", "wowtoc": r"^##\s*\w+\s*:"},
    ".ts": {"typescript": r"\A\ufeff?(?!\s*<[?!])", "xml": r"\A\ufeff?\s*<[?!]"},
    ".tst": {"gap-console": r"^gap>", "scilab": r"^(function|endfunction|endif|assert_\w+)\b"},
    ".ttl": {
        "teratermmacro": r"(?i)^(connect|sendln|wait|messagebox|timeout\s*=|logopen|strconcat)\b",
        "turtle": r"(?i)^(@?prefix|@?base)\s+\S*\s*<?",
    },
    ".u": {
        "ucode": r"^\{%|^(import|export|let|const)\s",
        "urbiscript": r"^(class|var)\s+\w[^\n]*[;:{]|\bat\s*\(",
    },
    ".v": {
        "coq": r"^(Require|Theorem|Lemma|Definition|Fixpoint|Proof|Inductive|From|Record|Ltac|Notation)\b",
        "verilog": r"^module\s+\w+\s*[#(;]|^endmodule\b|^`(timescale|include|define|default_nettype)\b",
    },
}
"""Endings that several languages claim, by lexer with the evidence for it: what no other of them contains.

It is searched in the text without blank lines and indentation, which also bounds its time.
"""

_INTERPRETERS = {
    "ash": "sh", "bun": "js", "dash": "sh", "deno": "ts", "gawk": "awk", "mawk": "awk", "node": "js",
    "nodejs": "js", "rscript": "r", "runghc": "haskell", "runhaskell": "haskell", "swipl": "prolog",
    "tclsh": "tcl", "wish": "tcl",
}  # fmt: skip
"""Interpreters that Pygments names otherwise."""

_INTERPRETER = re.compile(r"#!\s*(?:\S*/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*/)?([A-Za-z]+)[\d.]*(?=\s|$)")

_COMMENTS = {
    # In a shell `"a"#b; rm` and `a\\ #b; rm` have no comment; Pygments 2.21 begins one inside the word.
    **dict.fromkeys(("Bash", "Docker", "Fish", "Makefile", "Tcsh"), r"(?<![^\s;&|<>])(?<!\\[\s\S])#"),
    # In free form, which is compiled from the same names, `call` at the line's begin is a statement.
    "FortranFixed": r"[!*]|[cC](?![a-zA-Z])",
    # Which signs begin a comment depends on the processor; on x86 `;` separates statements.
    "GAS": r"(?!)",
    # MySQL runs `/*!` and needs a space behind `--`; only some dialects nest `/*`, or know `#`.
    **dict.fromkeys(("MySQL", "SQL", "SQL+Jinja", "Transact-SQL"), r"--\s"),
}


@lru_cache(64)
def lexer_of(name: str, content: str) -> Lexer | None:
    """Return the lexer for a file name and the text's beginning.

    None if no language, or more than one, fits.
    """
    from pygments import lexers, util

    ending = name[name.rfind(".") :]
    evidence = CLAIMED.get(ending, CLAIMED.get(ending.lower()))
    if evidence is None:
        try:
            return lexers.get_lexer_for_filename(name)
        except util.ClassNotFound:
            pass
    alias = _interpreter(content)
    if not alias and evidence:
        text = re.sub(r"^\s+", "", content, flags=re.MULTILINE)
        fitting = [language for language, sign in evidence.items() if re.search(sign, text, re.MULTILINE)]
        alias = fitting[0] if len(fitting) == 1 else ""
    try:
        return lexers.get_lexer_by_name(alias) if alias else None
    except util.ClassNotFound:
        return None


def _interpreter(content: str) -> str:
    """Return the lexer's alias by the text's first line, empty without `#!`."""
    found = _INTERPRETER.match(content)
    program = found[1].lower() if found else ""
    return _INTERPRETERS.get(program, program)


def comment_sign(lexer: Lexer) -> re.Pattern[str] | None:
    """Return what a comment must begin with; None trusts the lexer."""
    sign = _COMMENTS.get(lexer.name)
    return re.compile(sign) if sign is not None else None
