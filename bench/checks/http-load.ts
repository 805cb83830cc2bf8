/**
 * Sends checks over kept connections, one at a time on each, with as little overhead as possible:
 * `PORT SERVER TOOL CONNECTIONS`. For each number of milliseconds on its standard input it sends for so long,
 * and prints how many were answered in a second.
 */
import { randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

const [port = '', server = '', tool = '', connections = ''] = process.argv.slice(2);

function requestText(): string {
  const body = JSON.stringify({ call_id: randomUUID(), server, tool });
  return `POST /check HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

/** Answers are small: each arrives in one piece. */
function send(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('data', (answer: string) =>
      answer.startsWith('HTTP/1.1 200') ? resolve() : reject(new Error(answer)),
    );
    socket.write(requestText());
  });
}

const sockets = Array.from({ length: Number(connections) }, () =>
  connect(Number(port), '127.0.0.1').setEncoding('latin1').setNoDelay(true),
);
for await (const line of createInterface({ input: process.stdin })) {
  const startedMs = performance.now();
  let answered = 0;
  const sendInTurn = async (socket: Socket) => {
    for (; performance.now() - startedMs < Number(line); answered += 1) {
      await send(socket);
    }
  };
  await Promise.all(sockets.map(sendInTurn));
  console.log((answered / (performance.now() - startedMs)) * 1000);
}
process.exit();
