/**
 * A service that answers with the bytes that it is given by the name in the path, whatever they are. Says
 * what it takes and hears.
 */
import { createServer } from 'node:net';

const say = (line) => process.stdout.write(`${line}\n`);
const answers = JSON.parse(process.argv[2] ?? '{}');

const server = createServer({ allowHalfOpen: true }, (socket) => {
  say('taken');
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    if (end < 0 || socket.isAnswered) {
      return;
    }
    socket.isAnswered = true;
    const [, name = ''] = /^\S+ \/(\w*)/.exec(text) ?? [];
    say(`heard ${JSON.stringify(text)}`);
    answer(socket, answers[name] ?? { text: 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n' });
  });
});

function answer(socket, { text, endless, stays }) {
  const flood = () => {
    while (!socket.destroyed && socket.write(endless, 'latin1')) {
      // Until it has to wait.
    }
  };
  socket.write(text, 'latin1');
  if (endless !== undefined) {
    socket.on('drain', flood);
    flood();
  } else if (stays !== true) {
    socket.end();
  }
}

server.listen(Number(process.env.PORT), '127.0.0.1', () => say('up'));
