/**
 * An MCP server as its author ships it in an image: it holds a credential, and one of its
 * tools changes something.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const file = '/tmp/notes.txt';
const { NOTES_TOKEN: token = '', NOTES_TOKEN_SHA256: expected } = process.env;
const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });

serveStdio(() => {
  const server = new McpServer({ name: 'notes', version: '1' }, { capabilities: { tools: {} } });
  server.registerTool('list_notes', { description: 'Reads the notes' }, () =>
    text(existsSync(file) ? readFileSync(file, 'utf8') : 'There are no notes.'),
  );
  server.registerTool(
    'add_note',
    { description: 'Adds a note', inputSchema: z.object({ note: z.string() }) },
    ({ note }) => {
      // Like the system behind it: without its credential it does nothing.
      if (createHash('sha256').update(token).digest('hex') !== expected) {
        return { ...text('The token is not the one that these notes take.'), isError: true };
      }
      appendFileSync(file, `${note}\n`);
      return text('Added.');
    },
  );
  return server;
});
