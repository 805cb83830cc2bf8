/**
 * A server, built with the SDK, with everything that the official conformance scenarios ask for: tools,
 * prompts and resources under the names that the scenarios use, in both revisions of the protocol.
 */
import { inputRequired, McpServer, ProtocolError, ResourceTemplate } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

/** A PNG of one pixel, and a WAV file without sound. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';

const text = (value) => ({ type: 'text', text: value });
const image = { type: 'image', data: png, mimeType: 'image/png' };
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
const answers = (...content) => ({ content });

const contents = {
  test_simple_text: [text('This is a simple text response for testing.')],
  test_image_content: [image],
  test_audio_content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: [embedded('test://embedded', 'text/plain', 'An embedded resource.')],
  test_multiple_content_types: [text('Several'), image, embedded('test://mixed', 'application/json', '{}')],
};

const form = (properties, required = []) => ({ type: 'object', properties, required });
const defaults = form({
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
});
const options = ['option1', 'option2', 'option3'];
const titled = options.map((option) => ({ const: option, title: option.toUpperCase() }));
const enums = form({
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled },
  legacyEnum: { type: 'string', enum: options, enumNames: options.map((option) => option.toUpperCase()) },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: { type: 'array', items: { anyOf: titled } },
});

/** Tools of the 2025 revision that report and ask while they run. */
function registerTalkingTools(server) {
  const tool = (name, handler, inputSchema = z.object({})) =>
    server.registerTool(name, { description: name, inputSchema }, handler);
  tool('test_error_handling', () => {
    throw new Error('This tool intentionally returns an error for testing');
  });
  const log = async (_input, { mcpReq }) => {
    for (const step of ['started', 'processing', 'completed']) {
      await mcpReq.log('info', `Tool execution ${step}`);
    }
    return answers(text('Logged'));
  };
  tool('test_tool_with_logging', log);
  tool('test_logging_tool', log);
  tool('test_tool_with_progress', async (_input, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 };
      await mcpReq.notify({ method: 'notifications/progress', params });
    }
    return answers(text('Progressed'));
  });
  tool(
    'test_sampling',
    async ({ prompt }, { mcpReq }) => {
      const messages = [{ role: 'user', content: text(prompt) }];
      const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
      return answers(text(`LLM response: ${content.text}`));
    },
    z.object({ prompt: z.string() }),
  );
  const elicit = async (mcpReq, message, requestedSchema) => {
    const { action, content } = await mcpReq.elicitInput({ message, requestedSchema });
    return answers(text(`User response: action=${action}, content=${JSON.stringify(content ?? {})}`));
  };
  tool(
    'test_elicitation',
    ({ message }, { mcpReq }) =>
      elicit(mcpReq, message, form({ response: { type: 'string' } }, ['response'])),
    z.object({ message: z.string() }),
  );
  tool('test_elicitation_sep1034_defaults', (_input, { mcpReq }) => elicit(mcpReq, 'Defaults', defaults));
  tool('test_elicitation_sep1330_enums', (_input, { mcpReq }) => elicit(mcpReq, 'Enums', enums));
}

const asks = {
  elicitation: (message, name, type = 'string') =>
    inputRequired.elicit({ message, requestedSchema: form({ [name]: { type } }, [name]) }),
  sampling: (prompt) =>
    inputRequired.createMessage({ messages: [{ role: 'user', content: text(prompt) }], maxTokens: 100 }),
  roots: () => inputRequired.listRoots(),
};

/** Rounds of input: by tool, what it asks for first. */
const questions = {
  elicitation: { inputRequests: { user_name: asks.elicitation('What is your name?', 'name') } },
  sampling: { inputRequests: { capital_question: asks.sampling('What is the capital of France?') } },
  list_roots: { inputRequests: { client_roots: asks.roots() } },
  request_state: {
    inputRequests: { confirm: asks.elicitation('Please confirm', 'ok', 'boolean') },
    requestState: 'state-request',
  },
  tampered_state: {
    inputRequests: { confirm: asks.elicitation('Please confirm', 'ok', 'boolean') },
    requestState: 'state-sealed',
  },
  multiple_inputs: {
    inputRequests: {
      user_name: asks.elicitation('What is your name?', 'name'),
      greeting: asks.sampling('Generate a greeting'),
      client_roots: asks.roots(),
    },
    requestState: 'state-multiple',
  },
};

const isAnswered = ({ inputRequests }, { inputResponses }) =>
  Object.keys(inputRequests).every((key) => typeof inputResponses?.[key] === 'object');

function registerRoundTools(server) {
  const tool = (name, handler) =>
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, handler);
  for (const [name, question] of Object.entries(questions)) {
    tool(`test_input_required_result_${name}`, (_input, { mcpReq }) => {
      return isAnswered(question, mcpReq) ? answers(text('state-ok')) : inputRequired(question);
    });
  }
  tool('test_input_required_result_multi_round', (_input, { mcpReq }) => {
    const state = mcpReq.requestState();
    if (state === 'state-2') {
      return answers(text('Done'));
    }
    const step = state === 'state-1' ? 2 : 1;
    const inputRequests = { [`step${step}`]: asks.elicitation(`Step ${step}?`, 'value') };
    return inputRequired({ inputRequests, requestState: `state-${step}` });
  });
  tool('test_input_required_result_capabilities', (_input, { mcpReq }) => {
    const may = mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? {};
    const inputRequests = {
      ...(may.elicitation ? { user_name: asks.elicitation('What is your name?', 'name') } : {}),
      ...(may.sampling ? { greeting: asks.sampling('Generate a greeting') } : {}),
    };
    return inputRequired({ inputRequests, requestState: 'state-capabilities' });
  });
  tool('test_streaming_elicitation', () => inputRequired(questions.elicitation));
  tool('test_missing_capability', () => inputRequired(questions.sampling));
  tool('test_trigger_tool_change', () => {
    server.sendToolListChanged();
    return answers(text('Changed'));
  });
  tool('test_trigger_prompt_change', () => {
    server.sendPromptListChanged();
    return answers(text('Changed'));
  });
}

function registerResources(server) {
  const resource = (name, uri, mimeType, content) =>
    server.registerResource(name, uri, { mimeType }, ({ href }) => ({
      contents: [{ uri: href, mimeType, ...content }],
    }));
  resource('text', 'test://static-text', 'text/plain', { text: 'The content of the static text resource.' });
  resource('binary', 'test://static-binary', 'image/png', { blob: png });
  resource('watched', 'test://watched-resource', 'text/plain', { text: 'Watched' });
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
    }),
  );
}

function registerPrompts(server) {
  const says = (...contents) => ({ messages: contents.map((content) => ({ role: 'user', content })) });
  server.registerPrompt('test_simple_prompt', { description: 'Simple' }, () => says(text('A simple prompt')));
  server.registerPrompt('test_prompt_with_image', { description: 'Image' }, () =>
    says(image, text('Look at the image')),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Arguments', argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => says(text(`arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => says(embedded(resourceUri, 'text/plain', 'Embedded'), text('Read the resource')),
  );
  const question = { inputRequests: { user_context: asks.elicitation('Which context?', 'context') } };
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks' }, ({ mcpReq }) =>
    isAnswered(question, mcpReq) ? says(text('In context')) : inputRequired(question),
  );
}

/** In place of a signature: only issued states are accepted. */
function verify(state) {
  if (!/^state-(request|sealed|multiple|1|2|capabilities)$/.test(state)) {
    throw new ProtocolError(-32602, 'The state is not one that was given');
  }
  return state;
}

serveStdio(() => {
  const server = new McpServer(
    { name: 'everything', version: '1' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      requestState: { verify },
    },
  );
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: name }, () => answers(...content));
  }
  registerTalkingTools(server);
  registerRoundTools(server);
  registerResources(server);
  registerPrompts(server);
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.server.setRequestHandler(method, () => ({}));
  }
  server.server.setRequestHandler('completion/complete', () => ({
    completion: { values: ['paris'], total: 1, hasMore: false },
  }));
  return server;
});
