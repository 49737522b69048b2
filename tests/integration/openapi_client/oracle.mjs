// Types that hold ours against those of openapi-typescript, for tsc to judge:
//   node oracle.mjs DIRECTORY rich notes …      reads NAME.json, writes NAME_oracle.ts, NAME_check.ts
// And no word of a document may have become a program's: hostile.ts names evil in literals alone.
import { readFile, writeFile } from "node:fs/promises";
import openapi, { astToString } from "openapi-typescript";
import typescript from "typescript";

const [directory, ...names] = process.argv.slice(2);
const methods = ["get", "put", "post", "delete", "patch"];

const prelude = `
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
type Is<T extends true> = T;
type Arguments<F extends (...args: any[]) => unknown> = NonNullable<Parameters<F>[0]>;
type Groups<T> = Pick<T, Extract<keyof T, "path" | "query" | "header">>;
type Told<T> = { [K in keyof T as T[K] extends undefined ? never : K]: T[K] };
`;

function checked(document, name) {
  const lines = [`import type { components, operations } from "./${name}_oracle.js";`,
                 `import type * as ours from "./${name}.js";`, prelude];
  for (const schema of Object.keys(document.components.schemas)) {
    lines.push(`export type S_${schema} = ` +
               `Is<Same<components["schemas"]["${schema}"], ours.${schema}>>;`);
  }
  for (const item of Object.values(document.paths)) {
    for (const operation of methods.flatMap((method) => item[method] ?? [])) {
      const id = operation.operationId;
      const own = `ours.Client["${id.replace("-", "_")}"]`;
      const theirs = `operations["${id}"]`;
      const check = (what, one, other) =>
        lines.push(`export type ${id.replace("-", "_")}_${what} = Is<Same<${one}, ${other}>>;`);
      if (operation.parameters) {
        check("parameters", `Told<Groups<${theirs}["parameters"]>>`,
              `Told<Groups<Arguments<${own}>>>`);
      }
      for (const type of Object.keys(operation.requestBody?.content ?? {})) {
        if (type !== "application/octet-stream") {
          check("body", `NonNullable<${theirs}["requestBody"]>["content"]["${type}"]`,
                `NonNullable<Arguments<${own}>["body"]>`);
        }
      }
      const answers = Object.entries(operation.responses).filter(([status]) => status[0] === "2");
      const contents = answers.map(([status, answer]) =>
        answer.content ? `${theirs}["responses"][${status}]["content"]` +
                         `["${Object.keys(answer.content)[0]}"]` : "undefined");
      if (!/octet|event|ndjson/.test(contents.join())) {
        check("answer", contents.join(" | "), `Awaited<ReturnType<${own}>>`);
      }
    }
  }
  return lines.join("\n") + "\n";
}

for (const name of names) {
  const document = JSON.parse(await readFile(`${directory}/${name}.json`, "utf8"));
  const theirs = await openapi(structuredClone(document));
  await writeFile(`${directory}/${name}_oracle.ts`, astToString(theirs));
  const lines = checked(document, name);
  await writeFile(`${directory}/${name}_check.ts`, lines);
  console.log(`${name}: ${lines.match(/^export type/gm).length} types`);
}

const source = typescript.createSourceFile(
  "hostile.ts", await readFile(`${directory}/hostile.ts`, "utf8"), typescript.ScriptTarget.ES2022);
const walk = (node) => {
  if (typescript.isIdentifier(node) && node.text === "evil") {
    throw new Error(`${node.text} is a name in hostile.ts`);
  }
  node.forEachChild(walk);
};
walk(source);
console.log("hostile: no name but our own");
