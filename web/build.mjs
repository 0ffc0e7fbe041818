// node build.mjs --modules DIR --wasm FILE --out FILE: put the page together. DIR has the
// node_modules of package-lock.json; FILE of --wasm is what wasm/build.sh makes, or a built page to
// take the module from.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values } = parseArgs({
  options: { modules: { type: "string" }, wasm: { type: "string" }, out: { type: "string" } },
});
const { buildSync } = createRequire(join(resolve(values.modules), "package.json"))("esbuild");

const bundle = (entry, loader) => buildSync({
  entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false, target: "es2021",
  charset: "utf8", legalComments: "none", absWorkingDir: here, ...loader,
}).outputFiles[0].text.trim();

function wasm(file) {
  const bytes = readFileSync(file);
  if (bytes.subarray(0, 4).toString("latin1") === "\0asm") return bytes.toString("base64");
  const found = /<script type="text\/plain" id="neyman-wasm">([^<]*)</.exec(bytes.toString());
  if (!found) throw new Error(`${file} is neither a module nor a page`);
  return found[1];
}

const put = (text, mark, value) => {
  if (text.split(mark).length !== 2) throw new Error(`the page needs ${mark} once`);
  return text.split(mark).join(value);
};

const script = bundle("main.ts", { format: "iife" });
if (/<\/script|<!--/i.test(script)) throw new Error("the script must not end itself");
let page = readFileSync(join(here, "src/page.html"), "utf8");
page = put(page, "/*style*/", bundle("style.css", {}));
page = put(page, "/*wasm*/", wasm(values.wasm));
page = put(page, "/*script*/", script);
writeFileSync(values.out, page);
