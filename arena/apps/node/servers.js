// Which of Node's servers answers: HTTP/1.1 or HTTP/2, in the clear or over TLS, by environment.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';

// Unlike those of HTTP/1.1, a server of HTTP/2 does not know its own connections.
function ofSessions(server) {
  const sessions = new Set();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  return { server, end: () => sessions.forEach((session) => session.destroy()) };
}

function ofConnections(server) {
  return { server, end: () => server.closeAllConnections() };
}

// { server, end }: the server that the environment asks for, and what ends its connections.
export function serverOf(options, answer) {
  const { TLS_PORT, TLS_CERT, TLS_KEY, HTTP2 } = process.env;
  if (!TLS_PORT) {
    return HTTP2 ? ofSessions(http2.createServer(answer))
      : ofConnections(http.createServer(options, answer));
  }
  const sealed = () => ({ cert: readFileSync(TLS_CERT), key: readFileSync(TLS_KEY) });
  const made = HTTP2 ? ofSessions(http2.createSecureServer(sealed(), answer))
    : ofConnections(https.createServer({ ...options, ...sealed() }, answer));
  process.on('SIGHUP', () => made.server.setSecureContext(sealed()));
  return made;
}
