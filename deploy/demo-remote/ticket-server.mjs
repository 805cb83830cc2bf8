import { McpServer, requireScopes } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { writeScope } from './authorization-server.mjs';

const priority = z.enum(['low', 'normal', 'high']);
const ticket = z.object({ id: z.string(), title: z.string(), priority });
const newTicket = z.object({
  title: z.string().min(1).max(200).describe('What is to be done, in one line'),
  priority: priority.default('normal'),
});

/** The MCP server for one request, which `person` makes: `{ id, name }`. Each call is noted in `calls`. */
export function createTicketServer({ tickets, calls, person, scopes }) {
  const server = new McpServer({ name: 'demo-tickets', title: 'Tickets of the demo', version: '1.0.0' });
  const noted = (tool, handle) => (input) => {
    calls.note(tool, person);
    return handle(input);
  };
  server.registerTool(
    'whoami',
    {
      title: 'Who am I?',
      description: 'Says which person this call is made as, and what they allowed.',
      inputSchema: z.object({}),
      outputSchema: z.object({ id: z.string(), name: z.string(), scopes: z.array(z.string()) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    noted('whoami', () => answer(`This call is made as ${person.name}.`, { ...person, scopes })),
  );
  server.registerTool(
    'list_tickets',
    {
      title: 'List tickets',
      description: 'Lists the tickets of the person that this call is made as, the oldest first.',
      inputSchema: z.object({ priority: priority.optional().describe('Only those of this priority') }),
      outputSchema: z.object({ owner: z.string(), tickets: z.array(ticket) }),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    noted('list_tickets', (only) => {
      const listed = tickets
        .list(person.id)
        .filter((each) => only.priority === undefined || each.priority === only.priority);
      const lines = listed.map(({ id, title }) => `${id}: ${title}`);
      return answer(`Tickets of ${person.name}:\n${lines.join('\n') || 'none'}`, {
        owner: person.name,
        tickets: listed,
      });
    }),
  );
  server.registerTool(
    'preview_ticket',
    {
      title: 'Preview a ticket',
      description: 'Shows the ticket that create_ticket would create for the same input. Creates nothing.',
      inputSchema: newTicket,
      outputSchema: z.object({ owner: z.string(), ...newTicket.shape }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      // Not asked for when a person signs in: a first call shows how a client asks for more.
      scopeChallenge: requireScopes(writeScope),
    },
    noted('preview_ticket', (fields) =>
      answer(`It would be for ${person.name}: ${fields.title}`, { owner: person.name, ...fields }),
    ),
  );
  server.registerTool(
    'create_ticket',
    {
      title: 'Create a ticket',
      description: 'Creates a ticket in the name of the person that this call is made as.',
      inputSchema: newTicket,
      outputSchema: ticket,
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: false,
      },
      scopeChallenge: requireScopes(writeScope),
    },
    noted('create_ticket', (fields) => {
      const created = tickets.create(person.id, fields);
      return created === null
        ? { isError: true, content: [{ type: 'text', text: `${person.name} has too many tickets already.` }] }
        : answer(`Created ${created.id} for ${person.name}: ${created.title}`, created);
    }),
  );
  return server;
}

const answer = (text, structuredContent) => ({ content: [{ type: 'text', text }], structuredContent });
