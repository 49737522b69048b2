// What a program with the client of `notes` does: argv[2] is where it listens.
import { Client, type NewNote, type Note, ProblemError } from "./notes.js";

declare const process: { argv: string[] };

function check(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`it does not hold: ${what}`);
  }
}

async function problem(asked: Promise<unknown>): Promise<ProblemError> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof ProblemError) {
      return error;
    }
    throw error;
  }
  throw new Error("it was not refused");
}

const statuses: number[] = [];
const client = new Client({
  baseUrl: process.argv[2] + "/",
  headers: () => ({ "x-of-all": "1" }),
  fetch: (url, init) => {
    check(new Headers(init.headers).get("x-of-all") === "1", "the client's headers are sent");
    return fetch(url, init);
  },
});

const milk: NewNote = { title: "Milk", body: "Two bottles & ünïcode.", stars: null };
const added: Note = await client.post_api_v1_notes(
  { body: milk }, { onResponse: (response) => statuses.push(response.status) });
check(added.title === "Milk" && added.body === milk.body, "a note is added");
check(statuses.join() === "201", "a caller sees the status");
check((await client.get_api_v1_notes_id({ path: { id: added.id } })).title === "Milk", "found");
const replaced = await client.put_api_v1_notes_id(
  { path: { id: added.id }, body: { title: "Tea", body: "", stars: 5 } });
check(replaced.stars === 5, "replaced");
check((await client.get_api_v1_notes()).notes.length === 1, "listed");
check((await client.get_api_v1_notes({ query: { page: 2 } })).notes.length === 0, "listed by pages");
console.log("ok: notes are added, found, replaced and listed");

const invalid = await problem(client.post_api_v1_notes({ body: { title: "", body: "", stars: 7 } }));
check(invalid.status === 422, "422");
check((invalid.problem.errors ?? []).map((one) => `${one.pointer} ${one.code}`).sort().join()
      === "/stars range,/title pattern", "each fault has its pointer and its code");
check((await problem(client.get_api_v1_notes({ query: { page: 0 } }))).status === 400, "400");
const gone = await problem(client.get_api_v1_notes_id({ path: { id: 77 } }));
check(gone.status === 404 && gone.message === gone.problem.detail, "404");
console.log("ok: what is refused is thrown, with its problem document");

const nothing: undefined = await client.delete_api_v1_notes_id({ path: { id: added.id } });
check(nothing === undefined, "nothing is answered");
const stopped = new AbortController();
stopped.abort();
const name = await client.get_api_v1_notes({}, { signal: stopped.signal })
  .then(() => "", (error: Error) => error.name);
check(name === "AbortError", "a signal ends a call");
console.log("ok: nothing is undefined, and a signal ends a call");

export async function misused(): Promise<void> {
  // @ts-expect-error: a title is text
  await client.post_api_v1_notes({ body: { title: 7, body: "" } });
  // @ts-expect-error: a title is needed
  await client.post_api_v1_notes({ body: { body: "" } });
  // @ts-expect-error: so is the path's value
  await client.get_api_v1_notes_id({ path: {} });
  // @ts-expect-error: and there are no such members
  await client.post_api_v1_notes({ body: { title: "", body: "", more: 1 } });
  // @ts-expect-error: a note has no such member
  void (await client.get_api_v1_notes_id({ path: { id: 1 } })).more;
}
