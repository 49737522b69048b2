// The code that all TypeScript clients have in common.
// Layering: must not use type names that schemas can have; those are in kTypeScriptNames.
#pragma once

#include <string_view>

namespace eider::openapi_client {

/// Names of types that the client uses: a schema with such a name gets another name.
inline constexpr std::string_view kTypeScriptNames[] = {
    "Arguments",   "Array",        "AsyncGenerator",  "Blob",
    "BodyInit",    "CallOptions",  "Client",          "ClientOptions",
    "Error",       "FormData",     "Headers",         "HeadersInit",
    "Operation",   "ProblemError", "ProblemDocument", "FieldProblem",
    "Generator",   "Promise",      "RequestInit",     "Response",
    "ServerEvent", "AbortSignal",  "Iterable",        "URLSearchParams",
    "Secret",      "Login",        "Security",        "TextEncoder"};

/// Names that no schema can have: keywords and types of the language.
inline constexpr std::string_view kTypeScriptWords[] = {
    "any",      "as",        "async",     "await",     "bigint",     "boolean",   "break",
    "case",     "catch",     "class",     "const",     "continue",   "debugger",  "declare",
    "default",  "delete",    "do",        "else",      "enum",       "export",    "extends",
    "false",    "finally",   "for",       "from",      "function",   "get",       "globalThis",
    "if",       "import",    "in",        "infer",     "is",         "interface", "instanceof",
    "keyof",    "let",       "module",    "namespace", "never",      "new",       "null",
    "number",   "object",    "of",        "package",   "private",    "protected", "public",
    "readonly", "return",    "require",   "set",       "static",     "string",    "super",
    "switch",   "symbol",    "this",      "throw",     "true",       "try",       "type",
    "typeof",   "undefined", "unique",    "unknown",   "var",        "void",      "while",
    "with",     "yield",     "arguments", "eval",      "implements", "abstract",  "asserts",
    "using"};

// The parts, each for the clients that need it: compilers may warn about unused code.

inline constexpr std::string_view kTypeScriptRuntime = R"ts(
/** `pointer` is a JSON pointer into the body, or a parameter's name; `code` is for programs. */
export interface FieldProblem {
  pointer: string;
  detail: string;
  code?: string;
  arguments?: { [name: string]: string };
}

/** A problem document (RFC 9457), with the errors of each part of the input. */
export interface ProblemDocument {
  type?: string;
  title?: string;
  status?: number;
  detail?: string;
  instance?: string;
  errors?: FieldProblem[];
  [member: string]: unknown;
}

/** The server returned a status other than 2xx. */
export class ProblemError extends Error {
  readonly status: number;
  readonly problem: ProblemDocument;
  readonly response: Response;

  constructor(response: Response, problem: ProblemDocument) {
    super(problem.detail ?? problem.title ?? `status ${response.status}`);
    this.name = "ProblemError";
    this.status = response.status;
    this.problem = problem;
    this.response = response;
  }
}

/** A server-sent event; `event` is "message" if the server sends none. */
export interface ServerEvent<T = string> {
  event: string;
  data: T;
  id: string;
}

/** A token or a key; a function is called for each request. */
export type Secret = string | (() => string | Promise<string>);

export interface Login {
  user: string;
  password: string;
}

export interface ClientOptions {
  /** "https://example.org/v1"; default: the URL in the document. */
  baseUrl?: string;
  /** Replaces the global fetch. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Headers of each request, such as Authorization; a function is called for each request. */
  headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  /** Credentials by security scheme, sent with the calls that need them. */
  security?: { [scheme: string]: Secret | Login | undefined };
  /** Aborts all requests. */
  signal?: AbortSignal;
}

export interface CallOptions {
  headers?: HeadersInit;
  /** Replaces the signal of the client. */
  signal?: AbortSignal;
  /** Gets each response, including errors. */
  onResponse?: (response: Response) => void;
}

interface Operation {
  method: string;
  path: string;
  /** Format and media type of the request body. */
  body?: "json" | "form" | "multipart" | "text" | "binary";
  type?: string;
  /** Query parameters with a special style. */
  styles?: [string, string][];
  /** Form fields with a special style. */
  formStyles?: [string, string][];
  /** Where credentials are sent: name of the scheme, kind, and header or parameter. */
  security?: [string, "bearer" | "basic" | "header" | "query", string][];
  /** Format of the response body by status. */
  responses?: { [status: string]: string };
}

interface Arguments {
  path?: object;
  query?: object;
  header?: object;
  body?: unknown;
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/**
 * The pairs of a query or form. Lists are one pair per element, or one pair with a separator, which
 * is not encoded; members of "deep" objects are one pair each. null and undefined are skipped.
 */
function* pairsOf(
  values: object | undefined, styles: [string, string][] = [],
  encode: (text: string) => string = (text) => text,
): Generator<[string, string]> {
  for (const [name, value] of Object.entries(values ?? {})) {
    const style = styles.find(([its]) => its === name)?.[1];
    if (style === "deep") {
      for (const [member, text] of pairsOf(value, [], encode)) {
        yield [`${name}[${member}]`, text];
      }
      continue;
    }
    const all: unknown[] = Array.isArray(value) ? value : [value];
    const texts = all.filter((one) => one !== undefined && one !== null)
      .map((one) => encode(textOf(one)));
    for (const text of style === undefined || texts.length === 0 ? texts : [texts.join(style)]) {
      yield [name, text];
    }
  }
}

/**
 * Encodes the values. The segments "." and ".." change the path in fetch, even if encoded, and an
 * empty one could turn the next segment into a host name ("//host"), so they are rejected.
 */
function filled(path: string, values: object): string {
  const made = path.replace(/\{([^}]*)\}/g, (_, name: string) => {
    const own = Object.getOwnPropertyDescriptor(values, name);
    const value = own?.value ?? "";
    const all: unknown[] = Array.isArray(value) ? value : [value];
    const text = all.map((one) => encodeURIComponent(textOf(one))).join(",");
    if (text === "") {
      throw new TypeError(`the path's ${name} is missing or empty`);
    }
    return text;
  });
  if (/(^|\/)\.\.?(\/|$)/.test(made)) {
    throw new TypeError(`${path} cannot be filled in with "." or ".."`);
  }
  return made;
}

/** Encodes as forms do: a blank is "+". */
function formText(text: string): string {
  return String(new URLSearchParams([["", text]])).slice(1);
}

/** `pairs` have encoded values. */
function encoded(pairs: Iterable<[string, string]>): string {
  return Array.from(pairs, ([name, text]) => `${encodeURIComponent(name)}=${text}`).join("&");
}

function contentOf(operation: Operation, body: unknown): BodyInit | null {
  if (body === undefined) {
    return null;
  }
  switch (operation.body) {
    case "json":
      return JSON.stringify(body);
    case "form":
      return encoded(pairsOf(body as object, operation.formStyles, formText));
    default:
      return body as BodyInit;
  }
}

async function problemOf(response: Response): Promise<ProblemDocument> {
  const text = await response.text();
  try {
    const read: unknown = JSON.parse(text);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) {
      return read as ProblemDocument;
    }
  } catch {
    // not JSON: use the text as the detail
  }
  return { title: response.statusText, status: response.status, detail: text.slice(0, 1000) };
}

function basicOf(login: Login): string {
  const bytes = new TextEncoder().encode(`${login.user}:${login.password}`);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

/** Sends the first credentials of each header or parameter, unless the caller has set it. */
async function secure(settings: ClientOptions, operation: Operation, headers: Headers,
                      query: [string, string][]): Promise<void> {
  for (const [scheme, how, field] of operation.security ?? []) {
    const given = settings.security?.[scheme];
    const secret = typeof given === "function" ? await given() : given;
    if (secret === undefined || secret === "") {
      continue;
    }
    const text = typeof secret === "object" ? `Basic ${basicOf(secret)}`
      : how === "bearer" ? `Bearer ${secret}` : secret;
    if (how === "query") {
      if (!query.some(([name]) => name === field)) {
        query.push([field, encodeURIComponent(text)]);
      }
    } else if (!headers.has(field)) {
      headers.set(field, text);
    }
  }
}

async function send(settings: ClientOptions, operation: Operation, args: Arguments,
                    options: CallOptions): Promise<Response> {
  const usual = settings.headers;
  const headers = new Headers(typeof usual === "function" ? await usual() : usual);
  new Headers(options.headers).forEach((value, name) => headers.set(name, value));
  for (const [name, value] of pairsOf(args.header)) {
    headers.append(name, value);
  }
  const body = contentOf(operation, args.body);
  if (body !== null && operation.type !== undefined && !headers.has("content-type")) {
    headers.set("content-type", operation.type);
  }
  const pairs = [...pairsOf(args.query, operation.styles, encodeURIComponent)];
  await secure(settings, operation, headers, pairs);
  const query = encoded(pairs);
  const base = (settings.baseUrl ?? serverUrl).replace(/\/+$/, "");
  const url = base + filled(operation.path, args.path ?? {}) + (query === "" ? "" : "?" + query);
  const ask = settings.fetch ?? ((to: string, init: RequestInit) => globalThis.fetch(to, init));
  const signal = options.signal ?? settings.signal ?? null;
  const response = await ask(url, { method: operation.method, headers, body, signal });
  options.onResponse?.(response);
  if (!response.ok) {
    throw new ProblemError(response, await problemOf(response));
  }
  return response;
}
)ts";

inline constexpr std::string_view kTypeScriptCall = R"ts(
function defaultReading(response: Response): string {
  const type = response.headers.get("content-type") ?? "";
  if (type === "") {
    return "none";
  }
  return /[/+]json\b/.test(type) ? "json" : type.startsWith("text/") ? "text" : "blob";
}

async function call<T>(settings: ClientOptions, operation: Operation, args: Arguments = {},
                       options: CallOptions = {}): Promise<T> {
  const response = await send(settings, operation, args, options);
  const responses = operation.responses ?? {};
  const how = responses[String(response.status)] ?? responses["2XX"] ?? defaultReading(response);
  switch (how) {
    case "json":
      return JSON.parse(await response.text()) as T;
    case "text":
      return (await response.text()) as T;
    case "blob":
      return (await response.blob()) as T;
    default:
      await response.body?.cancel();
      return undefined as T;
  }
}
)ts";

inline constexpr std::string_view kTypeScriptLines = R"ts(
/** Maximum length of a line or event, in UTF-16 units. */
const lineLengthMax = 1 << 24;

function checkLength(length: number): void {
  if (length > lineLengthMax) {
    throw new RangeError(`the stream has a line or an event of more than ${lineLengthMax} units`);
  }
}

/** Lines without their ends; leaving the loop ends the request. */
async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  if (response.body === null) {
    return;
  }
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let line = "";
  let held = "";
  try {
    for (let isDone = false; !isDone;) {
      const piece = await reader.read();
      isDone = piece.done;
      const read = piece.done ? decoder.decode() : decoder.decode(piece.value, { stream: true });
      let text = held + read;
      held = !isDone && text.endsWith("\r") ? "\r" : "";  // a "\n" may follow
      text = text.slice(0, text.length - held.length);
      for (const [at, part] of text.split(/\r\n|\n|\r/).entries()) {
        if (at > 0) {
          yield line;
          line = "";
        }
        line += part;
        checkLength(line.length);
      }
    }
    if (line !== "") {
      yield line;
    }
  } finally {
    await reader.cancel();
  }
}
)ts";

inline constexpr std::string_view kTypeScriptJsonLines = R"ts(
async function* jsonLines<T>(
  settings: ClientOptions, operation: Operation, args: Arguments = {}, options: CallOptions = {},
): AsyncGenerator<T, void, undefined> {
  for await (const line of linesOf(await send(settings, operation, args, options))) {
    if (line.trim() !== "") {
      yield JSON.parse(line) as T;
    }
  }
}
)ts";

inline constexpr std::string_view kTypeScriptEvents = R"ts(
/** Parses server-sent events; incomplete events and events without data are skipped. */
async function* serverEvents(
  settings: ClientOptions, operation: Operation, args: Arguments = {}, options: CallOptions = {},
): AsyncGenerator<ServerEvent, void, undefined> {
  let event = "";
  let id = "";
  let data: string[] = [];
  let length = 0;
  for await (const line of linesOf(await send(settings, operation, args, options))) {
    if (line === "") {
      if (data.length > 0) {
        yield { event: event || "message", data: data.join("\n"), id };
      }
      event = "";
      data = [];
      length = 0;
      continue;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") {
      event = value;
    } else if (field === "data") {
      length += value.length + 1;
      checkLength(length);
      data.push(value);
    } else if (field === "id" && !value.includes("\0")) {
      id = value;
    }
  }
}
)ts";

inline constexpr std::string_view kTypeScriptJsonEvents = R"ts(
async function* jsonEvents<T>(
  settings: ClientOptions, operation: Operation, args: Arguments = {}, options: CallOptions = {},
): AsyncGenerator<ServerEvent<T>, void, undefined> {
  for await (const event of serverEvents(settings, operation, args, options)) {
    yield { ...event, data: JSON.parse(event.data) as T };
  }
}
)ts";

}  // namespace eider::openapi_client
