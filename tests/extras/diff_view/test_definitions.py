"""What a line is in, by the name of its file: true, or nothing."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from studio.extras.diff_view.definitions import definition_text, is_named, outline_of
from studio.text import Lines

ROOT = Path(__file__).resolve().parents[3]

# Lines that are asked about end in `@@` and the definition that they are in.
CASES = {
    "nested.py": '''
import os @@
class Tide:
    """class Not:
      def not_this():
    """
    height = 1 @@class Tide:

    @property @@class Tide:
    def level(self) -> int:
        text = "def no(): "
        # def no():
        def inner():
            return 2 @@def inner():
        return 1 @@def level(self) -> int:

    async def fetch(
        self,
        url, @@async def fetch(
    ):
        return (
    1, @@class Tide:
        )
x = 1 @@
if x:
    y = 2 @@
def short(): return 1
z = 3 @@
def doubtful():
    text = """
def no():
"""
    return text @@
''',
    "main.c": '''
#include <x.h> @@
static int counter = 0; @@
int declared(void); @@
#define MACRO(x) \\
    static int no(void) {
static const struct point origin = {
    1, @@
};
static int
second_line (int a,
             char *b)
{
    return a; @@second_line (int a,
}
struct point {
    int x; @@struct point {
};
/*
int in_comment(void) {
*/
    int odd; @@
int main(int argc, char **argv) {
    if (argc) {
        while (1) { @@int main(int argc, char **argv) {
        }
#ifdef X
        puts("int f() {"); @@int main(int argc, char **argv) {
#endif
    }
again:
    goto again; @@int main(int argc, char **argv) {
}
int after; @@
''',
    "shape.cpp": '''
namespace geometry {
class Shape : public Base {
public:
    Shape(int a) : width{a} {
        width = 2; @@Shape(int a) : width{a} {
    }
    bool operator==(const Shape& other) const {
        return true; @@bool operator==(const Shape& other) const {
    }
private:
    int width; @@class Shape : public Base {
};
}
Shape::~Shape()
{
    FOREACH(a, b) {
        call(); @@Shape::~Shape()
    }
}
template <typename T>
T largest(T a, T b) {
    auto f = [&](int x) {
        return x; @@T largest(T a, T b) {
    };
}
''',
    "Boat.java": '''
package harbour; @@
@Entity
public class Boat<T> extends Thing {
    private int[] sizes = {
        1, @@public class Boat<T> extends Thing {
    };
    @Override @@public class Boat<T> extends Thing {
    public <R> List<R> of(Map<String, R> all) throws Gone {
        if (all == null) {
            return null; @@public <R> List<R> of(Map<String, R> all) throws Gone {
        }
        all.forEach((k, v) -> {
            run(); @@public <R> List<R> of(Map<String, R> all) throws Gone {
        });
    }
    Boat() {
        super(); @@Boat() {
    }
    abstract void sail(); @@public class Boat<T> extends Thing {
}
''',
    "Harbour.cs": '''
namespace Harbour
{
    public class Quay
    {
        public int Length { get; set; } @@public class Quay
        public async Task<int> Load(string name)
        {
            lock (this)
            {
                return 1; @@public async Task<int> Load(string name)
            }
        }
    }
}
''',
    "tides.go": '''
package tides @@
var text = `
func inText() {
`
    // odd @@
type Tide struct {
	Height int @@type Tide struct {
}
func (t *Tide) Rise(by int) (int, error) {
	go func() {
		t.Height++ @@func (t *Tide) Rise(by int) (int, error) {
	}()
	switch by {
	case 1:
		return 1, nil @@func (t *Tide) Rise(by int) (int, error) {
	}
}
var last = 1 @@
''',
    "lib.rs": '''
use std::fmt; @@
impl<'a, T> Boat<'a, T>
where
    T: fmt::Debug,
{
    pub(crate) async fn sail(&self) -> Option<char> {
        let quote = '"';
        match self { @@pub(crate) async fn sail(&self) -> Option<char> {
            _ => None,
        }
    }
    const KNOTS: u8 = 1; @@impl<'a, T> Boat<'a, T>
}
trait Float { fn float(&self); }
static X: u8 = 1; @@
extern "C" fn hook(x: u8) {
    let s = r#"fn no() {"#; @@extern "C" fn hook(x: u8) {
}
''',
    "app.ts": '''
import x from "y"; @@
declare function early(a: string): void
export const area = (a: number, b: number): number => {
  return a * b; @@export const area = (a: number, b: number): number => {
};
export default class Boat<T> extends Thing {
  static count = 0; @@export default class Boat<T> extends Thing {
  async sail({ to, by }: Way = {}): Promise<void> {
    if (to) {
      const text = `
function no() {
`;
      call(() => { @@
    }
  }
}
interface Way {
  to: string; @@interface Way {
}
describe("boat", () => {
  it("sails", async () => {
    run(); @@
  });
});
''',
    "old.js": '''
var quote = /["'`]/; @@
Boat.prototype.sail = function (to) {
  return to / 2; @@Boat.prototype.sail = function (to) {
};
module.exports = {
  name: 1, @@
  run(a) {
    return a; @@run(a) {
  },
  stop: function () {
    return 0; @@stop: function () {
  },
};
''',
    "page.php": '''
<?php
final class Page extends Base {
    public static function show($a = "function no() {") {
        return 1; @@public static function show($a = "function no() {") {
    }
}
''',
    "boat.rb": '''
module Harbour
  class Boat < Thing
    attr_reader :name @@class Boat < Thing
    def sail!(to)
      to.each do |x|
        go x @@def sail!(to)
      end
      text = <<~TEXT
        def no
      TEXT
    end
    def short = 1
    private @@class Boat < Thing
  end
end
puts 1 @@
''',
    "run.sh": '''
set -e @@
usage() {
  cat <<EOF
other() {
EOF
  exit 1 @@
}
function build {
    make @@function build {
}
build @@
''',
    "boat.lua": '''
local M = {} @@
function M.sail(to)
  if to then
    return 1 @@function M.sail(to)
  end
end
return M @@
''',
    "Boat.kt": '''
data class Boat(val name: String) {
    override fun sail(to: Place) {
        to.let { it.go() } @@override fun sail(to: Place) {
    }
    companion object {
        val x = 1 @@data class Boat(val name: String) {
    }
}
''',
    "tool.pl": '''
use strict; @@
sub sail {
    my ($to) = @_; @@sub sail {
}
=head1 NAME

sub in_words {

=cut
    1; @@
''',
    "ci.yaml": '''
on: push @@
jobs:
  build:
    name: x @@build:
    steps:
      - run: make @@steps:
      - run: |
          text: no
    script: |
      inner:
        more @@script: |
env: {} @@
''',
    "package.json": '''
{
  "name": "x", @@
  "scripts": {
    "test": "y" @@"scripts": {
  },
  "files": [
    "z" @@"files": [
  ]
}
''',
    "guide.md": '''---
title: x @@
---
words @@

# Guide

words @@# Guide

```sh
# comment
ls @@# Guide
```

Part
----

words @@Part

### Deep

words @@### Deep

## Next

words @@## Next
''',
    "setup.toml": '''
name = 1 @@
[tool.x]
text = """
[no]
"""
list = [
  1, @@[tool.x]
]
[[more]]
a = 1 @@[[more]]
''',
    "style.css": '''
.toolbar > a {
  color: red; @@.toolbar > a {
}
@media print {
  .a {
    color: red; @@.a {
  }
}
''',
    "tides.sql": '''
CREATE TABLE tides (
  id int, @@CREATE TABLE tides (
);
CREATE INDEX i ON tides (id);
SELECT 1; @@
''',
    "Makefile": '''
CC := gcc @@
all: build
	make @@all: build
''',
    "words.txt": '''
def sail(): @@
    words @@
''',
}  # fmt: skip


def parts(text: str) -> tuple[bytes, list[tuple[int, str]]]:
    """The file, and what is expected of its lines (from 0)."""
    lines = text.removeprefix("\n").split("\n")
    asked = [(number, line.split(" @@")[1]) for number, line in enumerate(lines) if " @@" in line]
    return "\n".join(line.split(" @@")[0] for line in lines).encode(), asked


@pytest.mark.parametrize("name", CASES)
def test_a_line_is_named_by_what_it_is_in(name: str) -> None:
    """Where a string holds what looks like a definition around it, nothing after it is certain."""
    data, asked = parts(CASES[name])
    outline, lines = outline_of(name, data), Lines(data)
    found = [(line, definition_text(lines, outline.enclosing(line, line + 1))) for line, _ in asked]
    assert found == asked


def test_every_line_of_real_files_is_deeper_than_what_names_it() -> None:
    """But for the ends of headers and of strings."""
    files = sorted((ROOT / "studio").rglob("*.py"))
    named = 0
    for file in random.Random(11).sample(files, 60):
        data = file.read_bytes()
        outline, lines = outline_of(file.name, data), Lines(data)
        for line in range(len(lines)):
            first = outline.enclosing(line, line + 1)
            if first < 0 or not lines[line].strip() or lines[line].lstrip()[:1] in (b")", b'"', b"]", b"}"):
                continue
            text, name = lines[line], lines[first]
            assert first < line and name.lstrip().startswith((b"def ", b"class ", b"async def "))
            assert len(text) - len(text.lstrip()) > len(name) - len(name.lstrip()), (file, line + 1)
            named += 1
    assert named > 1000


def test_hostile_lines_and_large_files_have_no_names_and_cost_little() -> None:
    data = b"int a" + b" *" * 50_000 + b"(\n" + b"x(" * 50_000 + b"\n'''" * 1000
    for name in ("a.cpp", "a.js", "a.py", "a.yaml", "a.sh", "a.rs"):
        assert outline_of(name, data).firsts == []
    assert not is_named("a.py", 1 << 30) and not is_named("a.txt", 1)
