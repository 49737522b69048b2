// Hello world on Bun.serve.
Bun.serve({
  port: 8080,
  routes: { '/': () => new Response('Hello world') },
});
