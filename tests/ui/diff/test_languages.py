"""The language of a text: by its name, and by its content where several languages claim the name."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, combinations

import pytest
from hypothesis import given, strategies as st
from pygments.lexers import get_all_lexers, get_lexer_by_name

from studio.ui.diff.code.colouring import colour
from studio.ui.diff.code.languages import CLAIMED, lexer_of

SAMPLES = {
    "antlr": "grammar Calc;\nexpr : INT ;\n",
    "bash": "redo-ifchange x.c\ncc -o $3 x.c\n",
    "bitbake": 'SUMMARY = "A tool"\ninherit cmake\n',
    "blitzbasic": "Graphics 640,480\nEnd Function\n",
    "bugs": "model {\n  x ~ dnorm(0, 1)\n}\n",
    "c": '# 1 "box.c"\n#include <stdio.h>\n#define TWO 2\n',
    "cbmbas": '10 PRINT "HELLO"\n20 GOTO 10\n',
    "common-lisp": "(defun twice (x) (* 2 x))\n",
    "componentpascal": "MODULE Shapes;\nEND Shapes.\n",
    "coq": "Theorem t : True.\nProof. exact I. Qed.\n",
    "cpp": "#include <vector>\nint main() { return 0; }\n",
    "d": "module shapes;\nimport std.stdio;\n",
    "delphi": "program Shapes;\nbegin\nend.\n",
    "easytrieve": "FILE PERSNL\nJOB INPUT PERSNL\n",
    "ecl": "x := 3;\nOUTPUT(x);\n",
    "eiffel": "class\n    SHAPE\nfeature\nend\n",
    "erlang": "-module(shapes).\nmain(_) -> ok.\n",
    "ezhil": "\u0baa\u0ba4\u0bbf\u0baa\u0bcd\u0baa\u0bbf 1\n",
    "forth": ": twice dup + ;\n",
    "fortranfixed": "      program shapes\n      end\n",
    "fsharp": "open System\nlet twice x = 2 * x\n",
    "gap": "twice := function( x ) return 2*x; end;\n",
    "gap-console": "gap> 1 + 1;\n2\n",
    "gas": "start:\n    mov $1, %eax\n",
    "glsl": "#version 330\nvoid main() { }\n",
    "idl": "pro twice, x\n  print, x\nend\n",
    "inform6": 'Constant Story "SHAPES";\n[ Main; ];\n',
    "ini": "[Version]\nClass=USB\n",
    "jasmin": ".class public Shapes\n.super java/lang/Object\n",
    "javascript": "export default () => 1;\n",
    "k": "twice:{2*x}\n",
    "limbo": 'implement Shapes;\ninclude "sys.m";\n',
    "make": "shape.o: shape.c shape.h\n",
    "maple": "twice := proc(x) 2*x end proc:\n",
    "mason": "% my $x = 2;\n<& header.mas &>\n",
    "mathematica": '(* ::Package:: *)\nBeginPackage["Shapes`"]\n',
    "matlab": "function y = twice(x)\ny = 2 * x;\nend\n",
    "maxima": 'load("shapes");\ntwice(x) := 2*x;\n',
    "modula2": "DEFINITION MODULE Shapes;\nEND Shapes.\n",
    "nasm": "section .text\nmov eax, 1\n",
    "nemerle": "using System.Console;\nmodule Shapes { }\n",
    "objective-c": "#import <Foundation/Foundation.h>\n@interface Shape : NSObject\n@end\n",
    "objective-c++": "#import <Foundation/Foundation.h>\nnamespace shapes { }\n",
    "objective-j": "@import <Foundation/CPObject.j>\n@implementation Shape\n@end\n",
    "openedge": "DEFINE INPUT PARAMETER x AS INTEGER.\nCLASS Shapes:\nEND CLASS.\n",
    "pawn": "#include <core>\nstock twice(x) return 2 * x;\n",
    "perl": "use strict;\nmy %shapes = (box => 1);\n",
    "php": "<?php\n$x = 1;\n",
    "pov": "#declare Ball = sphere { 0, 1 }\n",
    "prolog": ":- module(shapes, [box/1]).\nbox(X) :- shape(X).\n",
    "promela": "mtype = { ping };\nactive proctype P() { skip }\n",
    "puppet": "class shapes {\n  package { 'box': }\n}\n",
    "python": "from shapes import box\ndef twice(x):\n    return 2 * x\n",
    "q": "twice:{[x] 2*x}\n\\l shapes.q\n",
    "qbasic": "SCREEN 12\nCLS\n",
    "r": "twice <- function(x) 2 * x\n",
    "ragel-c": "#include <string.h>\n%%{ machine shapes; }%%\n",
    "ragel-java": "public class Shapes {\n%%{ machine shapes; }%%\n",
    "ragel-ruby": "require 'shapes'\n%%{ machine shapes; }%%\n",
    "raku": "use v6;\nmy $x = 2;\n",
    "rebol": 'REBOL [Title: "Shapes"]\nprint 2\n',
    "scala": "import scala.util._\nval two = 2\n",
    "scdoc": "shapes(1)\n# NAME\n",
    "scilab": "function y = twice(x)\nendfunction\n",
    "singularity": "Bootstrap: docker\nFrom: debian\n",
    "smalltalk": "Shape class >> two\n  ^ 2\n",
    "sql": "CREATE TABLE box (id int);\n",
    "stata": "sysuse auto\nreg price mpg\n",
    "supercollider": "SynthDef(\\ping, { }).add;\n",
    "swig": '%module shapes\n%include "box.h"\n',
    "tads3": "#include <adv3.h>\nhall: Room 'Hall';\n",
    "tasm": ".model small\n.code\n",
    "tcl": "vlib work\nvsim top\n",
    "teratermmacro": "timeout = 10\nsendln 'ls'\n",
    "tex": "\\NeedsTeXFormat{LaTeX2e}\n\\ProvidesClass{shapes}\n",
    "turtle": "@prefix s: <http://shapes.example/> .\ns:box a s:Shape ; s:side 2 .\n",
    "typescript": "export const two: number = 2;\n",
    "ucode": "import { open } from 'fs';\nlet two = 2;\n",
    "urbiscript": "class Box { };\nvar two = 2;\n",
    "vbnet": 'Attribute VB_Name = "Shapes"\nOption Explicit\n',
    "verilog": "module box(input a);\nalways @(*) b = a;\nendmodule\n",
    "visualprolog": "implement shapes\n    open core\nclauses\n",
    "wowtoc": "## Interface: 100200\nShapes.lua\n",
    "xml": '<?xml version="1.0"?>\n<TS version="2.1"/>\n',
}
PROBES = [
    *(form.format(sign) for sign in ("%", "#", ";", "//", "--", "!", "\\", "*", "'", "@", "/", "REM", "c ")
      for form in ("{} x y", "a {} x y")),
    "/* x */ y", "(* x *) y", "{ x } y", "<!-- x --> y", "#`( x\n y", '" x " y', "#| x |# y", "/+ x +/ y",
]  # fmt: skip
"""Lines that are a comment in one language and code in another."""


def comments(name: str, text: str) -> str:
    lines = [*text.splitlines(), ""]
    coloured = colour(name, lines, 0).lines
    return "".join(
        line[start:end]
        for line, spans in zip(lines, coloured, strict=True)
        for start, end, token in spans
        if token == "com"
    )


def test_names_that_several_lexers_claim_are_in_the_table_or_have_one_kind_of_comment() -> None:
    """Of whatever version of Pygments is installed."""
    claimed = defaultdict(set)
    for _, aliases, patterns, _ in get_all_lexers(plugins=False):
        for pattern in patterns:
            claimed[pattern].add(aliases[0])
    unequal = []
    for pattern, aliases in claimed.items():
        if len(aliases) > 1 and pattern.removeprefix("*").lower() not in CLAIMED:
            for probe in PROBES:
                drawn = set()
                for alias in aliases:
                    tokens = get_lexer_by_name(alias).get_tokens_unprocessed(f"\n{probe}\n")
                    drawn.add(
                        "".join(text for _, kind, text in tokens if "Token.Comment" in str(kind)).strip()
                    )
                unequal += [(pattern, probe)] * (len(drawn) > 1)
    assert not unequal


@given(st.data())
def test_content_decides_what_the_name_does_not(data: st.DataObject) -> None:
    ending = data.draw(st.sampled_from(sorted(CLAIMED)))
    alias = data.draw(st.sampled_from(sorted(CLAIMED[ending]) or [""]))
    text = SAMPLES.get(alias, "").replace("\n", data.draw(st.sampled_from(["\n", "\n\n", "\n\n\n"])))
    lexer = lexer_of(f"x{ending}", text)
    if not alias:
        assert lexer is None
    else:
        assert lexer is not None
        assert type(lexer) is type(get_lexer_by_name(alias)), f"{alias} under {ending}"


def test_what_fits_several_languages_or_none_has_no_colours() -> None:
    for ending, evidence in CLAIMED.items():
        for one, other in combinations(sorted(evidence), 2):
            if {one, other} & {"typescript", "raku", "mathematica", "cbmbas", "scdoc"}:
                continue  # These are known by the very beginning of their text.
            assert lexer_of(f"x{ending}", SAMPLES[one] + SAMPLES[other]) is None, (ending, one, other)
        if "" not in evidence.values() and ending != ".ts":
            assert lexer_of(f"x{ending}", "?\n") is None, ending
    assert set(SAMPLES) == set(chain.from_iterable(CLAIMED.values()))


@pytest.mark.parametrize(
    ("name", "first", "lexer"),
    [
        ("run", "#!/usr/bin/env -S perl -w", "Perl"),
        ("run", "#!/bin/sh", "Bash"),
        ("run", "#!/usr/local/bin/python3.11 -I", "Python"),
        ("box.pl", "#!/usr/bin/swipl", "Prolog"),
        ("box.py", "#!/bin/sh", "Python"),
        ("run", "#!/usr/bin/unknown", None),
        ("go.mod", "module shapes.example/box", None),
    ],
)
def test_the_interpreter_decides_where_the_name_does_not(name: str, first: str, lexer: str | None) -> None:
    found = lexer_of(name, first + "\n")
    assert (found.name if found else None) == lexer


@pytest.mark.parametrize(
    ("name", "line", "comment"),
    [
        ("box.sh", 'echo "a"#b; rm -r box', ""),
        ("box.sh", "echo a\\ #b; rm -r box", ""),
        ("box.sh", "rm box # gone", "# gone"),
        ("box.S", "mov %eax, %ebx; call box", ""),
        ("box.c", "#define box() gone() // why", "// why"),
        ("box.sql", "/*! DROP TABLE box */ -- why", "-- why"),
        ("box.sql", "SELECT 5--1, box #> 2;", ""),
        ("box.php", "<?php // why", "// why"),
        ("box.r", "x <- 1; unlink('box')", ""),
    ],
)
def test_what_runs_in_some_dialect_is_no_comment(name: str, line: str, comment: str) -> None:
    assert comments(name, line) == comment
