// Diffs as the package `diff` for JavaScript writes them: node jsdiff.cjs FUNCTION NAME…, in the changed tree.
const fs = require("fs");
const diff = require("diff");

const isThere = (file) => fs.existsSync(file) && fs.statSync(file).isFile();
const read = (file) => (isThere(file) ? fs.readFileSync(file, "utf8") : "");

const [way, ...names] = process.argv.slice(2);
if (way === "version") {
  console.log(JSON.parse(fs.readFileSync(require.resolve("diff/package.json"))).version);
}
for (const name of way === "version" ? [] : names) {
  const [before, after] = [read(`../before/${name}`), read(name)];
  if (before === after) continue;
  const old = isThere(`../before/${name}`) ? `a/${name}` : "/dev/null";
  const now = isThere(name) ? `b/${name}` : "/dev/null";
  const patch = diff.createTwoFilesPatch(old, now, before, after);
  // createPatch takes one name: nobody can say with it that a file is new or deleted.
  if (way === "createPatch" && old !== "/dev/null" && now !== "/dev/null") {
    process.stdout.write(diff.createPatch(name, before, after, "original", "modified"));
  }
  if (way === "createTwoFilesPatch") process.stdout.write(patch);
  if (way === "formatPatch") process.stdout.write(diff.formatPatch(diff.parsePatch(patch)));
}
