/** A web service for tests: says on standard output which connections it takes and which visitors leave. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';

const say = (line) => process.stdout.write(`${line}\n`);

const answers = {
  '/echo': async (request, response) => {
    const body = Buffer.concat(await request.toArray());
    const { method, url, rawHeaders } = request;
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.end(JSON.stringify({ method, url, rawHeaders, body: body.toString() }));
  },
  '/digest': async (request, response) => {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of request) {
      hash.update(chunk);
      size += chunk.length;
    }
    response.end(
      JSON.stringify({ size, sha256: hash.digest('hex'), length: request.headers['content-length'] ?? null }),
    );
  },
  '/mirror': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    request.pipe(response);
  },
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const timer = setInterval(() => response.write(`data: ${Date.now()}\n\n`), 100);
    response.on('close', () => {
      clearInterval(timer);
      say('left');
    });
  },
  '/quiet': (_request, response) => response.flushHeaders(),
  '/large': (_request, response) => response.end(Buffer.alloc(32 * 1024 * 1024, 'x')),
  '/cut': (_request, response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('half', () => response.socket.destroy());
  },
  '/early': (_request, response) => response.writeHead(413, { connection: 'close' }).end('too large'),
  '/crash': () => process.exit(3),
  '/hold': (_request, response) => {
    say('held');
    response.on('close', () => say('left'));
  },
};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '', 'http://service');
  const answer = answers[pathname];
  if (answer === undefined) {
    response.writeHead(404).end('nothing here');
    return;
  }
  answer(request, response);
});
server.on('connection', () => say('taken'));
server.on('upgrade', (request, socket, head) => {
  if (request.url === '/refuses') {
    socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno');
    return;
  }
  say(`upgraded ${JSON.stringify(request.headers)}`);
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\nfirst ',
  );
  socket.write(head);
  socket.on('data', (chunk) => (String(chunk) === 'leave' ? socket.end('bye') : socket.write(chunk)));
  socket.on('end', () => socket.end());
  socket.on('error', () => undefined).on('close', () => say('left'));
});
server.requestTimeout = 0;
server.listen(Number(process.env.PORT), '127.0.0.1', () => say('up'));
