// Who asks goes with the calls that take it: argv[2] is where a server says what it was sent.
import { Client, type Echo, type Security } from "./secured.js";

declare const process: { argv: string[] };

function check(found: Echo, wanted: string): void {
  const { authorization = "-", "x-key": key = "-" } = found.fields;
  const told = `${found.target} ${authorization} ${key}`;
  if (told !== wanted) {
    throw new Error(`"${told}" is not "${wanted}"`);
  }
}

const clientOf = (security: Security) => new Client({ baseUrl: process.argv[2] ?? "", security });

const client = clientOf({ token: async () => "t", "a-key": "k", q: "a b" });
check(await client.usual(), "/usual Bearer t -");
check(await client.several(), "/several?key=a%20b Bearer t k");
console.log("ok: secrets go where the document says");

check(await client.open(), "/open - -");
check(await clientOf({}).several(), "/several - -");
check(await clientOf({ token: "" }).usual(), "/usual - -");
console.log("ok: and nowhere else");

const login = clientOf({ login: { user: "ü", password: "p" } });
check(await login.several(), "/several Basic w7w6cA== -");
check(await login.usual({ headers: { Authorization: "own" } }), "/usual own -");
console.log("ok: a name goes with its password, and what the caller sets stays");
