import { request } from 'node:http';

/** Publishes a JSON text through `POST /artifact`. Returns null when it was accepted, else why not. */
export function publishArtifact(socketPath: string, name: string, json: string): Promise<string | null> {
  return new Promise((resolve) => {
    const query = new URLSearchParams({ name, mime_type: 'application/json' });
    const headers = { 'content-type': 'application/octet-stream', 'content-length': Buffer.byteLength(json) };
    const call = request(
      { socketPath, path: `/artifact?${query}`, method: 'POST', headers, agent: false },
      (response) => {
        response.resume();
        const isTaken = response.statusCode === 200;
        response.once('close', () =>
          resolve(isTaken ? null : `the artifact was refused (status ${response.statusCode})`),
        );
      },
    );
    call.on('error', () => resolve('the sidecar did not take the artifact'));
    call.end(json);
  });
}
