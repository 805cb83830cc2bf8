/**
 * How the kubelet expands a container's variables and command, as the API reference describes it:
 * `$(NAME)` becomes the value of a variable that was defined before, `$$` becomes `$`, and unresolved
 * references stay as they are.
 */
import type { V1Container } from '@kubernetes/client-node';

function expand(text: string, defined: ReadonlyMap<string, string>): string {
  let result = '';
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '$' || at + 1 >= text.length) {
      result += text[at];
      at += 1;
    } else if (text[at + 1] === '$') {
      result += '$';
      at += 2;
    } else if (text[at + 1] === '(' && text.includes(')', at)) {
      const end = text.indexOf(')', at);
      const name = text.slice(at + 2, end);
      result += defined.get(name) ?? text.slice(at, end + 1);
      at = end + 1;
    } else {
      result += '$';
      at += 1;
    }
  }
  return result;
}

export function expandAsKubelet({ env = [], command = [] }: V1Container): {
  env: Map<string, string>;
  command: string[];
} {
  const defined = new Map<string, string>();
  for (const { name, value, valueFrom } of env) {
    if (valueFrom === undefined) {
      defined.set(name, expand(value ?? '', defined));
    }
  }
  return { env: defined, command: command.map((each) => expand(each, defined)) };
}
