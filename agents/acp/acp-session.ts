/** A session of the Agent Client Protocol with one process of an agent, which gets no file and no shell. */
import type * as z from 'zod';
import type { AgentConfig } from '../../contract/agent-contract.ts';
import { abandonAfter } from '../../lib/timing/time-limit.ts';
import type { RunStep } from '../model/run-step.ts';
import { AgentEndedError, type AgentProcess, startAgentProcess } from './agent-process.ts';
import type { AcpLaunch } from './presets.ts';
import {
  initialized,
  type OpenedSession,
  openedSession,
  promptAnswer,
  protocolVersion,
  sessionUpdate,
} from './protocol.ts';
import { createToolCalls } from './tool-calls.ts';

export interface AcpSessionOptions {
  launch: AcpLaunch;
  /** What the agent starts to reach its servers. */
  servers: AgentConfig['mcpServers'];
  instructions: string;
  onStep(step: RunStep): void;
  hasRoom(): Promise<void>;
}

export interface AcpSession {
  id: string;
  /** Whether another process can go on with it. */
  canResume: boolean;
  /** Whether the agent was not given the instructions, so that they have to be said. */
  saysInstructions: boolean;
  /** One turn: why it stopped. Throws AgentEndedError, or what the agent answered as an error. */
  prompt(text: string): Promise<string>;
  cancel(): void;
  stop(): Promise<void>;
}

/** To start, to connect its servers, to read a long history: on a busy machine a minute. */
const openLimitMs = 300_000;
/** What is shown at once of a text without end. */
const longTextLength = 30_000;

/** Starts the agent with a session of its own or, where `resumed` is given, with that one and its history. */
export async function openAcpSession(
  options: AcpSessionOptions,
  resumed: string | null,
): Promise<AcpSession> {
  const heard = createUpdates(options);
  const { launch, servers } = options;
  const env = { ...launch.env, ...launch.envOfServers?.(servers) };
  const process = startAgentProcess(
    { ...launch, env },
    {
      onNotification: heard.take,
      answer: (method, params) =>
        method === 'session/request_permission' ? heard.calls.decide(params) : undefined,
      hasRoom: options.hasRoom,
    },
  );
  try {
    return await abandonAfter(openLimitMs, open(process, options, heard, resumed), () => {
      throw new Error('its program opened no session in time');
    });
  } catch (error) {
    await process.stop();
    throw error;
  }
}

type Updates = ReturnType<typeof createUpdates>;

function createUpdates({ launch, servers, onStep }: AcpSessionOptions) {
  const calls = createToolCalls(Object.keys(servers), launch.allowedKinds);
  let text = '';
  /** How much of it was passed on as pieces: none before there is something to read. */
  let passedOn = 0;
  let session: string | null = null;
  const flush = ({ isCutOff = false } = {}) => {
    if (text.trim() !== '') {
      onStep({ type: 'text', text, ...(isCutOff ? { cutOff: true } : {}) });
    }
    text = '';
    passedOn = 0;
  };
  return {
    calls,
    flush,
    /** From here on; before it updates are of a history that was shown. */
    listenTo(id: string) {
      session = id;
    },
    take(method: string, params: unknown) {
      const told = method === 'session/update' ? sessionUpdate.safeParse(params).data : undefined;
      if (told === undefined || told.sessionId !== session) {
        return;
      }
      const { update } = told;
      if (update.sessionUpdate === 'agent_message_chunk') {
        text += update.content.text;
        if (text.length > longTextLength) {
          flush();
        } else if (text.trim() !== '') {
          onStep({ type: 'piece', text: text.slice(passedOn), begins: passedOn === 0 });
          passedOn = text.length;
        }
        return;
      }
      flush();
      calls.take(update, update.sessionUpdate === 'tool_call').forEach(onStep);
    },
  };
}

async function open(
  process: AgentProcess,
  options: AcpSessionOptions,
  heard: Updates,
  resumed: string | null,
): Promise<AcpSession> {
  const { launch, servers, instructions } = options;
  const hello = understood(
    initialized,
    'initialize',
    await process.request('initialize', {
      protocolVersion,
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: 'platform', version: '1' },
    }),
  );
  if (hello.protocolVersion !== protocolVersion) {
    throw new Error(
      `it speaks version ${hello.protocolVersion} of the Agent Client Protocol, and the platform version 1`,
    );
  }
  if (launch.authenticate !== null) {
    await process.request('authenticate', { methodId: launch.authenticate });
  }
  const { loadSession, sessionCapabilities } = hello.agentCapabilities ?? {};
  const can = (what: unknown) => what !== undefined && what !== null && what !== false;
  const takesInstructions = can(sessionCapabilities?.systemPrompt);
  const asked = {
    cwd: launch.directory,
    mcpServers: Object.entries(launch.envOfServers === null ? servers : {}).map(
      ([name, { command, args, env }]) => ({
        ...{ name, command, args },
        env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
      }),
    ),
    ...(launch.meta === null ? {} : { _meta: launch.meta }),
    ...(takesInstructions
      ? { systemPrompt: { mode: 'append', content: [{ type: 'text', text: instructions }] } }
      : {}),
  };
  const resume = can(sessionCapabilities?.resume) ? 'session/resume' : 'session/load';
  const method = resumed === null ? 'session/new' : resume;
  const answer = await process.request(method, resumed === null ? asked : { ...asked, sessionId: resumed });
  const opened = understood(openedSession, method, answer ?? {});
  const id = resumed ?? opened.sessionId;
  if (id === undefined) {
    throw new Error('it opened a session without an id');
  }
  const isModelSet = await choose(process, id, opened, launch);
  if (!isModelSet && resumed === null) {
    const text = `The model "${launch.model}" was not set: the agent offers none of that name.`;
    options.onStep({ type: 'problem', text });
  }
  heard.listenTo(id);
  return {
    id,
    canResume: loadSession === true || can(sessionCapabilities?.resume),
    saysInstructions: !takesInstructions,
    async prompt(text) {
      try {
        const prompt = [{ type: 'text', text }];
        const answer = promptAnswer.safeParse(
          await process.request('session/prompt', { sessionId: id, prompt }),
        );
        if (!answer.success) {
          throw new Error('The agent ended its turn without saying why.');
        }
        heard.flush();
        return answer.data.stopReason;
      } catch (error) {
        heard.flush({ isCutOff: error instanceof AgentEndedError });
        throw error;
      }
    },
    cancel: () => process.notify('session/cancel', { sessionId: id }),
    stop: () => process.stop(),
  };
}

/** Throws in words that people read where an agent answers what it should not. */
function understood<Schema extends z.ZodType>(
  schema: Schema,
  method: string,
  answer: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(answer);
  if (!parsed.success) {
    throw new Error(`it gave no usable answer to ${method}`);
  }
  return parsed.data;
}

/** Returns whether it has the model that it was to have. */
async function choose(
  process: AgentProcess,
  sessionId: string,
  { configOptions }: OpenedSession,
  { mode, model }: Pick<AcpLaunch, 'mode' | 'model'>,
): Promise<boolean> {
  if (mode !== null) {
    await process.request('session/set_mode', { sessionId, modeId: mode });
  }
  if (model === null) {
    return true;
  }
  const option = configOptions?.find(({ category }) => category === 'model');
  if (option === undefined || !option.options.some(({ value }) => value === model)) {
    return false;
  }
  await process.request('session/set_config_option', { sessionId, configId: option.id, value: model });
  return true;
}
