/**
 * Programs that agents of tests have as services, as texts for `node -e`: they listen where the
 * platform asks, on loopback.
 */

/** The smallest WebSocket server there is: short text frames, each sent back. */
const echo = `(request, socket) => {
  const key = request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
  const accept = require('node:crypto').createHash('sha1').update(key).digest('base64');
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
  socket.on('error', () => socket.destroy());
  socket.on('data', (frame) => {
    if ((frame[0] & 15) !== 1) return socket.end();
    const size = frame[1] & 127, mask = frame.subarray(2, 6);
    const text = Buffer.from(frame.subarray(6, 6 + size).map((byte, at) => byte ^ mask[at % 4]));
    socket.write(Buffer.concat([Buffer.from([129, text.length]), text]));
  });
}`;

const page = `<!doctype html><html lang="en"><title>On demand</title><h1>Served on demand</h1>
<form method="post" action="/said"><input name="word" aria-label="Word"><button>Send</button></form>
<p id="events"></p><p id="echo"></p>
<script>
  const put = (id, text) => { document.querySelector(id).textContent += text; };
  new EventSource('/events').onmessage = ({ data }) => put('#events', data + '. ');
  const socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/echo');
  socket.onopen = () => socket.send('hello');
  socket.onmessage = ({ data }) => put('#echo', 'Echo: ' + data);
</script></html>`;

/**
 * A page with a form, events and a socket; `/headers` is what a request brought. Each answer sets cookies,
 * for its host and for the domain above it.
 */
export const servedSite = `
const http = require('node:http');
const page = ${JSON.stringify(page)};
http.createServer((request, response) => {
  response.setHeader('set-cookie', ['own=1', 'wide=1; Domain=localhost; Path=/', 'platform_session=stolen; Path=/']);
  const send = (type, text) => response.writeHead(200, { 'content-type': type }).end(text);
  if (request.url === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: first\\n\\n');
    setTimeout(() => response.write('data: second\\n\\n'), 300);
  } else if (request.url === '/headers') {
    send('application/json', JSON.stringify(request.headers));
  } else if (request.url === '/said' && request.method === 'POST') {
    let body = '';
    request.on('data', (chunk) => { body += chunk; });
    request.on('end', () => send('text/html', '<!doctype html><title>Said</title><p>You said ' + new URLSearchParams(body).get('word') + '.'));
  } else {
    send('text/html', page);
  }
}).on('upgrade', ${echo}).listen(process.env.PORT || 8080, '127.0.0.1');`;

/** As a service in an agent's record. */
export const nodeService = (name: string, program: string, env: Record<string, string> = {}) => ({
  name,
  run: { type: 'command', command: 'node', args: ['-e', program] },
  env,
});
