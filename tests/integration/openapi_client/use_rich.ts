// What a program with the client of rich.json does: argv[2] is where a server answers as it says.
import { Client, type Drawing, ProblemError } from "./rich.js";

declare const process: { argv: string[] };

function check(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(`it does not hold: ${what}`);
  }
}

async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of stream) {
    found.push(one);
  }
  return found;
}

const client = new Client({ baseUrl: process.argv[2] ?? "" });

const echo = await client.echo({
  path: { id: 7, name: "a/b ?#%ü" },
  query: { tag: ["x&y", "z"], "page[size]": 2 },
  header: { "If-Match": '"1"' },
});
check(echo.target === "/things/7/a%2Fb%20%3F%23%25%C3%BC?tag=x%26y&tag=z&page%5Bsize%5D=2",
      echo.target);
check(echo.fields["if-match"] === '"1"', "a header is sent");
for (const name of [".", "..", ""]) {
  const error = await client.echo({ path: { id: 1, name }, header: { "If-Match": "" } })
    .then(() => "", (refused: Error) => refused.name);
  check(error === "TypeError", `"${name}" stands for no segment of a path`);
}
const lists = await client.echo({
  path: { id: 1, name: "a" },
  query: { tag: ["a b+"], commas: ["d", "e,f"], blanks: ["x", "y z"], pipes: ["1", "2|3"] },
  header: { "If-Match": "" },
});
check(lists.target === "/things/1/a?tag=a%20b%2B&commas=d,e%2Cf&blanks=x%20y%20z&pipes=1|2%7C3",
      lists.target);
console.log("ok: values of paths and queries are encoded, and none is a step in the path");

const form = await client.post_form({ body: { level: "high", tags: ["a b", "c"], count: 2 } });
check(form.body === "level=high&tags=a+b&tags=c&count=2", form.body);
check((form.fields["content-type"] ?? "").startsWith("application/x-www-form-urlencoded"), "form");
const bytes = new Uint8Array([0, 255, 10, 13]);
const blob = await client.put_bytes({ body: bytes });
check(new Uint8Array(await blob.arrayBuffer()).join() === "0,255,10,13", "bytes come back");
check((await client.count()) + 1 === 43, "a number that is sent as text");
const drawing: Drawing = { title: "t", shape: { type: "Square", side: 2 }, heights: [1, null] };
const drawn = await client.post_shape({ body: drawing });
check(drawn.shape.type === "Square" && drawn.shape.side === 2, "a variant is told by its tag");
console.log("ok: forms, bytes, numbers and variants");

const events = await all(client.events());
check(JSON.stringify(events) === JSON.stringify([
  { event: "message", data: "one\ntwo", id: "" }, { event: "tick", data: "3", id: "a" },
  { event: "message", data: "ü", id: "a" }]), JSON.stringify(events));
const readings: string[] = [];
for await (const reading of client.readings()) {
  readings.push(reading.event, reading.data.level, reading.data.at);
}
check(readings.join() === "reading,low,1970-01-01T01:00:01.5+01:00," +
  "message,other,1970-01-01T00:00:00Z,message,high,1969-12-31T23:59:59.999999999Z",
      readings.join());
check((await all(client.lines())).join() === "low,high,low", "lines");
for await (const first of client.lines()) {
  check(first === "low", "the first line");
  break;
}
const refused = await all(client.lines({ headers: { "x-refuse": "1" } })).catch(
  (error: unknown) => error);
check(refused instanceof ProblemError && refused.status === 503, "a stream is refused, too");
console.log("ok: events and lines, however they are cut");

/** A client that is answered in these pieces. */
function answered(pieces: string[]): Client {
  const encoder = new TextEncoder();
  const left = pieces.values();
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const next = left.next();
      if (next.done) {
        controller.close();
      } else {
        controller.enqueue(encoder.encode(next.value));
      }
    },
  });
  return new Client({ fetch: async () => new Response(body) });
}

const split = String.prototype.split;
let searched = 0;
String.prototype.split = function (this: string, ...args: [never]): string[] {
  searched += this.length;
  return split.apply(this, args);
};
const piece = "x".repeat(1 << 14);
const [long] = await all(answered(['"', ...Array<string>(64).fill(piece), '"\n']).lines());
check(String(long).length === 64 << 14, "a line of many pieces");
check(searched < 66 << 14, `each piece is searched once: ${searched}`);
String.prototype.split = split;
const ends = await all(answered(["1\r", "\n2\r", "3\r", "\n", "\n4\r"]).lines());
check(ends.join() === "1,2,3,4", "ends of lines that are cut");
const large = "x".repeat((1 << 20) - 1);
const refusal = (stream: AsyncIterable<unknown>) =>
  all(stream).then((found) => String(found.length), (error: unknown) => String(error));
const enough = ["data:" + large + "\n"];
const sixteen = Array<string[]>(16).fill(enough).flat();
const two = [...sixteen, "\n", ...sixteen, "\n"];
check(await refusal(answered(two).events()) === "2", "two events");
const beyond = [...sixteen, "data\n\n"];
check((await refusal(answered(beyond).events())).startsWith("RangeError"), "an event");
const lines = Array<string>(17).fill("x".repeat(1 << 20));
check((await refusal(answered(lines).lines())).startsWith("RangeError"), "a line");
const whole = [lines.join("") + "\n"];
check((await refusal(answered(whole).lines())).startsWith("RangeError"), "a line at once");
console.log("ok: a long stream is searched once, and its lines and events have an end");
