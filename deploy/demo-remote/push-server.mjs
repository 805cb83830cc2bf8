import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { RefusedPushError } from './git-repository.mjs';

const branchName = z
  .string()
  .max(60)
  .regex(/^(?!.*(?:\.\.|\.lock$|\.$))[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits and . _ -');
const commitId = z.string().regex(/^[0-9a-f]{40}$/, 'must be a whole commit id');
/** An approver sees all that is pushed: of a call's arguments the platform shows 16 KiB. */
const pushedBytes = 12 * 1024;
const branch = z.object({ name: z.string(), commit: z.string() });

/**
 * The MCP endpoint that pushes to the demo's repository, for whoever has the token. Returns the function from
 * a `Request` to its `Response`.
 */
export function createPushEndpoint({ token, repository }) {
  const mcp = createMcpHandler(() => createPushServer(repository));
  return async (request) =>
    isSame(request.headers.get('authorization') ?? '', `Bearer ${token}`)
      ? mcp.fetch(request)
      : new Response('The token is not valid.\n', { status: 401 });
}

const digestOf = (text) => createHash('sha256').update(text).digest();
const isSame = (given, wanted) => timingSafeEqual(digestOf(given), digestOf(wanted));

function createPushServer(repository) {
  const server = new McpServer({
    name: 'demo-repository',
    title: 'Repository of the demo',
    version: '1.0.0',
  });
  server.registerTool(
    'read_branches',
    {
      title: 'Read the branches',
      description: 'Lists the branches with their commits, and a name that no branch has yet.',
      inputSchema: z.object({}),
      outputSchema: z.object({ main: z.string(), unused: z.string(), branches: z.array(branch) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    async () => {
      const branches = await repository.branches();
      const main = branches.find(({ name }) => name === 'main')?.commit ?? '';
      const names = new Set(branches.map(({ name }) => name));
      // Two sessions that read at the same time are given two names.
      const newName = () => `change-${randomBytes(4).toString('hex')}`;
      let unused = newName();
      while (names.has(unused)) {
        unused = newName();
      }
      const lines = branches.map(({ name, commit }) => `${name}: ${commit}`);
      return answer(lines.join('\n'), { main, unused, branches });
    },
  );
  server.registerTool(
    'push',
    {
      title: 'Push a commit',
      description:
        'Makes a commit of a patch, as of git diff, on a branch that is at the commit `onto`, or is new. ' +
        'As JSON, message and patch take 12 KiB at most.',
      inputSchema: z.object({
        branch: branchName,
        onto: commitId.describe('The commit that the patch is for'),
        message: z.string().min(1).max(2000),
        patch: z.string().min(1),
      }),
      outputSchema: branch,
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    },
    async (change) => {
      try {
        if (sizeBytesOf(change) > pushedBytes) {
          throw new RefusedPushError('Message and patch take more than 12 KiB as JSON: push less at a time');
        }
        const commit = await repository.push(change);
        return answer(`Pushed ${commit} to ${change.branch}.`, { name: change.branch, commit });
      } catch (error) {
        const text = error instanceof RefusedPushError ? error.message : 'Git could not do this';
        return { isError: true, content: [{ type: 'text', text }] };
      }
    },
  );
  return server;
}

const sizeBytesOf = ({ message, patch }) => Buffer.byteLength(JSON.stringify({ message, patch }));
const answer = (text, structuredContent) => ({ content: [{ type: 'text', text }], structuredContent });
