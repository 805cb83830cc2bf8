/** A model that knows nothing and does exactly what the texts of the platform tell it: where they are unclear, it fails. */
import * as z from 'zod';
import {
  type Answer,
  type Block,
  call,
  type ModelRequest,
  newResults,
  newTexts,
  say,
  turn,
} from './turns.ts';

const refusal = z.object({
  code: z.literal('permission_required'),
  next_steps: z.array(z.string()),
});
const decision = z.object({ request_id: z.string(), status: z.string(), next_step: z.string() });
const howToAsk = /^Call (\w+) of the (\w+) server, once, with (\{.*\})\. It waits for a person\.$/;

export interface LiteralModel {
  answer(request: ModelRequest): Answer;
  /** What it did, in order. */
  did: string[];
}

/** `wanted`: the one call that it is asked to make. `waitSeconds`: in the place of those that the text proposes. */
export function literalModel(wanted: () => Block, waitSeconds: number): LiteralModel {
  const did: string[] = [];
  const doing = (what: string, ...blocks: Block[]): Answer => {
    did.push(what);
    return turn(...blocks);
  };
  return {
    did,
    answer(request) {
      const [result] = newResults(request);
      if (result === undefined) {
        return onMessage(newTexts(request).join('\n'));
      }
      const refused = refusal.safeParse(jsonOf(result.text)).data;
      if (refused !== undefined) {
        return ask(refused.next_steps);
      }
      const decided = decision.safeParse(jsonOf(result.text)).data;
      return decided === undefined
        ? doing('finished', say(`It says: ${result.text}`))
        : follow(decided.next_step);
    },
  };

  function onMessage(text: string): Answer {
    const isFirst = did.length === 0;
    return isFirst || text.includes('You can retry the call')
      ? doing('called', wanted())
      : doing('gave up', say('I stop.'));
  }

  function ask(steps: string[]): Answer {
    const [, tool, server, input] = howToAsk.exec(steps[0] ?? '') ?? [];
    if (tool === undefined || server === undefined || input === undefined) {
      throw new Error(`the first step does not say how to ask: ${steps[0]}`);
    }
    return doing('asked', call(`${server}.${tool}`, { ...JSON.parse(input), wait_seconds: waitSeconds }));
  }

  function follow(step: string): Answer {
    if (step.includes('refused call again')) {
      return doing('called', wanted());
    }
    return /or end your turn/.test(step) ? doing('waited', say('I wait.')) : doing('gave up', say('I stop.'));
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
