/**
 * A model that knows nothing and does exactly what the texts of the platform tell it. What it cannot follow
 * is in `did`, in the words that it did not understand, so that a text that misleads fails its test.
 */
import * as z from 'zod';
import { jsonOrNull } from '../../../contract/json-or-null.ts';
import {
  type Answer,
  type Block,
  call,
  type ModelRequest,
  newResults,
  newTexts,
  say,
  slowTurn,
  turn,
} from './turns.ts';

const failure = z.object({ code: z.string(), message: z.string(), next_steps: z.array(z.string()) });
const result = z.object({ next_step: z.string() });

export interface LiteralModel {
  answer(request: ModelRequest): Answer;
  /** What it did, in order. */
  did: string[];
}

interface LiteralTask {
  /** The one call that it is asked to make. */
  wanted(): Block;
  /** In the place of those that a text proposes for asking a person. */
  waitSeconds: number;
  /** What its task says, by the names that a text puts in angle brackets. */
  known?: Record<string, string>;
}

export function literalModel({ wanted, waitSeconds, known = {} }: LiteralTask): LiteralModel {
  const did: string[] = [];
  let isOver = false;
  const doing = (what: string, ...blocks: Block[]): Answer => {
    did.push(what);
    return turn(...blocks);
  };
  const rest = (what: string) => doing(what, say(what === 'waited' ? 'I wait.' : 'I stop.'));
  const makeCall = () => doing('called', wanted());
  return {
    did,
    answer(request) {
      const [given] = newResults(request);
      if (given === undefined) {
        const text = newTexts(request).join('\n');
        return did.length === 0 ? begin(request) : onMessage(quotedIn(text));
      }
      const value = jsonOrNull(given.text);
      const failed = failure.safeParse(value).data;
      const next = result.safeParse(value).data?.next_step;
      if (failed !== undefined) {
        return follow([failed.message, ...failed.next_steps], failed.message);
      }
      return next === undefined ? doing('finished', say(`It says: ${given.text}`)) : follow([next], next);
    },
  };

  /** Where the description of the wanted tool names one to call before it, that. */
  function begin({ tools = [] }: ModelRequest): Answer {
    const block = wanted();
    const { description = '' } = tools.find(({ name }) => isNamed(block, name)) ?? {};
    const [, before] = /(\w+) shows which you have/.exec(description) ?? [];
    return before === undefined ? doing('called', block) : doing(before, call(`platform.${before}`));
  }

  function onMessage(text: string): Answer {
    if (text.includes('You can retry the call')) {
      return makeCall();
    }
    // An end that a result reported already is not read once more.
    const isToBeRead = !(isOver && text.includes('Unless you have read that already'));
    return (isToBeRead ? callIn(text) : null) ?? rest('gave up');
  }

  /** The first of them that applies now. `message`: what they refer to. */
  function follow(steps: readonly string[], message: string): Answer {
    for (const step of steps.filter((each) => !each.startsWith('If '))) {
      isOver ||= /do not read it again\./.test(step);
      const done = callIn(step) ?? inPlainWords(step, message);
      if (done !== null) {
        return done;
      }
    }
    return rest(`did not understand: ${steps.join(' ')}`);
  }

  function callIn(text: string): Answer | null {
    const found = /[Cc]all (\w+) of the platform server,?(?: once,)? with (.*)/s.exec(text);
    const [, tool = '', rest = ''] = found ?? [];
    if (found === null) {
      return null;
    }
    if (isNamed(wanted(), `platform__${tool}`)) {
      return makeCall();
    }
    const input = inputIn(rest, known);
    if (tool !== 'request_permission') {
      return doing(tool, call(`platform.${tool}`, input));
    }
    return doing('asked', call(`platform.${tool}`, { ...input, wait_seconds: waitSeconds }));
  }

  function inPlainWords(step: string, message: string): Answer | null {
    if (/[Mm]ake (exactly )?the refused call again/.test(step)) {
      return makeCall();
    }
    if (step.includes('Only if the message says in how many seconds')) {
      const [, seconds] = /in (\d+) s\b/.exec(message) ?? [];
      return seconds === undefined ? rest('gave up') : after(Number(seconds));
    }
    if (/or end your turn/.test(step)) {
      return rest('waited');
    }
    if (/^Do not repeat|[Cc]ontinue without/.test(step)) {
      return rest('gave up');
    }
    return step.includes('Go on with what you know') ? rest('finished') : null;
  }

  /** Its stream takes a little longer: a call is whole with the fifth event at the earliest. */
  function after(seconds: number): Answer {
    did.push(`waited ${seconds} s`, 'called');
    return slowTurn((seconds * 1000) / 5, wanted());
  }
}

const isNamed = (block: Block, name: string) =>
  block.type === 'tool_use' && (block.name === name || block.name === `mcp__${name}`);

/** The platform's sentence within a message that quotes it; else the message. */
function quotedIn(text: string): string {
  const quoted = z.string().safeParse(jsonOrNull(text.slice(text.lastIndexOf('\n') + 1)));
  return quoted.data ?? text;
}

/** The object at the beginning of a text, with what is known in the place of `<name>`. */
function inputIn(text: string, known: Record<string, string>): Record<string, unknown> {
  for (let end = text.indexOf('}'); end !== -1; end = text.indexOf('}', end + 1)) {
    const input = z.record(z.string(), z.unknown()).safeParse(jsonOrNull(text.slice(0, end + 1)));
    if (input.success) {
      const filled = JSON.stringify(input.data).replaceAll(/<(\w+)>/g, (name, key) => known[key] ?? name);
      return JSON.parse(filled);
    }
  }
  throw new Error(`there are no arguments in: ${text}`);
}
