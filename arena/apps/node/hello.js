// Hello world on Node's http module.
import { createServer } from 'node:http';

createServer((request, response) => {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  response.end('Hello world');
}).listen(8080);
