/** What an agent says of its calls, and what it is answered when it asks whether it may make one. */
import type { RunStep } from '../model/run-step.ts';
import { permissionQuestion, type ToolCall } from './protocol.ts';

export interface ToolCalls {
  /** Empty, or what people read of it. `begins`: else it goes on, and is not heard where it has ended. */
  take(call: ToolCall, begins: boolean): RunStep[];
  /** Answers `session/request_permission`. */
  decide(params: unknown): object;
}

/** Calls that have not ended; the oldest is forgotten. */
const maxCalls = 500;
const ends = ['completed', 'failed'];

/**
 * `allowedKinds`: of an agent's own tools, or `all`. No answer here is a grant, and none
 * keeps an agent from anything: it asks whom it likes. Calls of MCP servers are allowed, since the sidecar
 * decides on them.
 */
export function createToolCalls(servers: readonly string[], allowedKinds: readonly string[]): ToolCalls {
  const calls = new Map<string, ToolCall>();
  const merge = (call: ToolCall): ToolCall => {
    const known = calls.get(call.toolCallId);
    return {
      ...call,
      title: call.title ?? known?.title,
      name: call.name ?? known?.name,
      kind: call.kind ?? known?.kind,
      _meta: call._meta ?? known?._meta,
    };
  };
  return {
    take(given, begins) {
      if (!begins && !calls.has(given.toolCallId)) {
        return [];
      }
      const call = merge(given);
      if (!ends.includes(call.status ?? '')) {
        calls.set(call.toolCallId, call);
        const [oldest = ''] = calls.keys();
        if (calls.size > maxCalls) {
          calls.delete(oldest);
        }
        return [];
      }
      calls.delete(call.toolCallId);
      // The platform has its own record of a call that it got.
      return isOfServer(call, servers)
        ? []
        : [
            {
              type: 'own_tool',
              title: call.title ?? call.name ?? 'a tool',
              failed: call.status === 'failed',
            },
          ];
    },
    decide(params) {
      const question = permissionQuestion.safeParse(params).data;
      if (question === undefined) {
        return { outcome: { outcome: 'cancelled' } };
      }
      const call = merge(question.toolCall);
      const isAllowed =
        isOfServer(call, servers) ||
        allowedKinds.includes('all') ||
        allowedKinds.includes(call.kind ?? 'other');
      const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
      const [option] = kinds.flatMap((kind) => question.options.filter((each) => each.kind === kind));
      return {
        outcome:
          option === undefined
            ? { outcome: 'cancelled' }
            : { outcome: 'selected', optionId: option.optionId },
      };
    },
  };
}

/**
 * Whether it says that it calls a tool of a server of the session: version 1 has no field for that, so each
 * agent says it in its own way.
 */
function isOfServer({ title, name, _meta }: ToolCall, servers: readonly string[]): boolean {
  const claude = _meta?.['claudeCode'];
  if (_meta?.['is_mcp_tool_call'] === true) {
    return true;
  }
  if (typeof claude === 'object' && claude !== null && 'mcpServer' in claude) {
    return true;
  }
  return [title ?? '', name ?? ''].some((text) =>
    servers.some((server) => {
      const forms = [`mcp__${server}__`, `mcp_${server}_`, `mcp.${server}.`, `${server}_`, `${server}.`];
      return forms.some((form) => text.startsWith(form)) || text.endsWith(`(${server} MCP Server)`);
    }),
  );
}
