/** A model that describes a repository in one file, and pushes it as the texts of the platform tell it. */
import { literalModel } from '../model-stub/literal-model.ts';
import { type ModelStub, startModelStub } from '../model-stub/start-model-stub.ts';
import {
  type Answer,
  call,
  type ModelRequest,
  newResults,
  say,
  slowTurn,
  type Turn,
  turn,
} from '../model-stub/turns.ts';

export const walkModelName = 'claude-sonnet-4-5';
export const description = 'A project for tests, with a readme and a script.';
export const newBranch = 'describe-it';

/** Long enough to be seen while it grows, also where the page is slow. */
const thoughts = Array.from({ length: 12 }, (_, at) => `I have read ${at + 1} of 12 files. `);
export const [firstThought = '', lastThought = ''] = [thoughts[0], thoughts.at(-1)];

const patch = `diff --git a/summary.md b/summary.md
new file mode 100644
--- /dev/null
+++ b/summary.md
@@ -0,0 +1 @@
+${description}
`;

export interface WalkModel extends ModelStub {
  /** What it did about the push, in order. */
  did: string[];
}

export async function startWalkModel(port: number): Promise<WalkModel> {
  let onto = '';
  const literal = literalModel({
    wanted: () => call('repository.push', { branch: newBranch, onto, message: 'Describe it', patch }),
    waitSeconds: 120,
  });
  const file = { filePath: '/workspace/repository/summary.md', content: `${description}\n` };
  const steps: ((request: ModelRequest) => Answer)[] = [
    () => slowTurn(250, ...thoughts.map(say), call('write', file)),
    () => turn(call('repository.read_branches')),
    (request) => {
      onto = /main: ([0-9a-f]{40})/.exec(newResults(request)[0]?.text ?? '')?.[1] ?? 'not told';
      return turn(call('repository.push', { branch: newBranch, onto, message: 'Describe it', patch }));
    },
  ];
  const answerOf = (request: ModelRequest): Answer =>
    // For a title of the conversation, which some agents ask for beside it.
    (request.tools ?? []).length === 0
      ? turn(say('A description'))
      : (steps.shift() ?? literal.answer)(request);
  const script: Turn[] = Array.from({ length: 40 }, () => answerOf);
  return { ...(await startModelStub(script, port)), did: literal.did };
}
