// no browser
// The page in the tree is what its sources give: types are right, the bundle is the same, and the
// WebAssembly module is, where the compiler is the one that made it.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { assert } from "./support.mjs";

const root = process.env.NEY_SOURCE, modules = process.env.NEY_WEB_MODULES;
const built = join(root, "web/page.html");
const run = (command, ...args) => spawnSync(command, args, { encoding: "utf8" });

const types = run(process.execPath, join(modules, "node_modules/typescript/bin/tsc"), "-p", join(root, "web"));
assert.equal(types.status, 0, types.stdout);

const rebuilt = (wasm) => {
  execFileSync(process.execPath, [join(root, "web/build.mjs"), "--modules", modules, "--wasm", wasm, "--out", "page.html"]);
  return readFileSync("page.html");
};
assert.ok(rebuilt(built).equals(readFileSync(built)), "web/page.html is not what web/src gives: run 'make page'");

const lock = readFileSync(join(root, "web/package-lock.json"), "utf8");
assert.ok(!lock.includes("://"), "web/package-lock.json names a host");

const compiler = run("clang", "--version").stdout?.split("\n")[0] ?? "none";
const wanted = readFileSync(join(root, "web/wasm/compiler.txt"), "utf8").trim();
writeFileSync("probe.c", "#include <stdlib.h>\nint probe(void);\nint probe(void) { return abs(1); }\n");
const probe = run("clang", "--target=wasm32-wasi", "-mexec-model=reactor", "probe.c", "-o", "probe.wasm");
if (compiler !== wanted || probe.status !== 0) {
  console.log(`skipped: the module was made by '${wanted}'; here is '${compiler}'${probe.status === 0 ? "" : " without wasi-libc or lld"}`);
  process.exit(77);
}
const made = run("sh", join(root, "web/wasm/build.sh"), root, "page.wasm");
assert.equal(made.status, 0, made.stderr);
assert.ok(rebuilt("page.wasm").equals(readFileSync(built)), "web/page.html has another module than src/decide gives: run 'make page'");
