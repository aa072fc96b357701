// Bundles the page: node bundle.mjs PAGE.html. Script and style stand in it with their SHA-256 in the policy of content, so
// that nothing else runs. Packages are those of build/report.
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const packages = join(here, "..", "build", "report", "node_modules");
const { build } = createRequire(join(packages, "_"))("esbuild");

async function bundle(entry) {
  const { outputFiles, warnings } = await build({
    absWorkingDir: join(here, "src"),
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    format: "iife",
    legalComments: "none",
    logLevel: "warning",
    mainFields: ["module", "main"],
    nodePaths: [packages],
    target: ["es2022"],
  });
  if (warnings.length > 0) throw new Error("esbuild has warnings");
  return outputFiles[0].text.trim();
}

// What is inside of an element of HTML, which ends at its end tag.
function inside(text, tag) {
  if (new RegExp(`</${tag}|<!--`, "i").test(text)) throw new Error(`the bundle holds what ends <${tag}>`);
  return text;
}

const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const script = inside(await bundle("main.ts"), "script");
const style = inside(await bundle("style.css"), "style");
const values = { SCRIPT_HASH: hash(script), STYLE_HASH: hash(style), SCRIPT: script, STYLE: style };
const frame = readFileSync(join(here, "src", "page.html"), "utf8");
const page = frame.replace(/@(SCRIPT_HASH|STYLE_HASH|SCRIPT|STYLE)@/g, (_, name) => values[name]);
const output = process.argv[2];
mkdirSync(dirname(output), { recursive: true });
writeFileSync(`${output}.part`, page);
renameSync(`${output}.part`, output);
