import { createHash } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const dist = join(import.meta.dirname, "../dist");

function files(dir: string): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .flatMap((e) => (e.isDirectory() ? files(join(dir, e.name)) : [join(dir, e.name)]))
    .sort();
}

// packed compresses what is embedded in the program and records what it was built from, which
// a Go test compares with the sources.
function packed(): Plugin {
  return {
    name: "packed",
    closeBundle() {
      for (const file of files(join(dist, "assets"))) {
        const body = readFileSync(file);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
        writeFileSync(file + ".br", brotliCompressSync(body, { params }));
        rmSync(file);
      }
      const sum = createHash("sha256");
      for (const name of readFileSync(join(import.meta.dirname, "sources.txt"), "utf8").trim().split("\n")) {
        const path = join(import.meta.dirname, name);
        for (const file of statSync(path).isDirectory() ? files(path) : [path]) {
          const relativeName = relative(import.meta.dirname, file);
          if (relativeName !== "src/api/schema.d.ts") {
            sum.update(relativeName + "\0").update(readFileSync(file)).update("\0");
          }
        }
      }
      const api = createHash("sha256").update(readFileSync(join(import.meta.dirname, "openapi.json"))).digest("hex");
      writeFileSync(join(dist, "sources.json"), JSON.stringify({ web: sum.digest("hex"), openapi: api }) + "\n");
    },
  };
}

export default defineConfig({
  base: "/cabinet/",
  plugins: [react(), packed()],
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: "LICENSES.md" },
    reportCompressedSize: false,
  },
  server: { proxy: { "^/(?!cabinet/)": "http://localhost:8081" } },
});
