/**
 * Lines as an agent might send them to reach the tool `danger` past the gate: valid traffic, and the same
 * written, spread, duplicated and damaged in the ways that parsers disagree about.
 */
import type { SeededRandom } from '../support/seeded-random.ts';
import { combine, damage } from './damage-bytes.ts';
import { Members, Raw, writeJson } from './write-json.ts';

export const gatedTool = 'danger';
export const openTool = 'safe';
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

const modernMeta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'fuzz', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** What opens a connection. Everything after it is hostile. */
export function openingLines(protocolVersion: ProtocolVersion): Buffer[] {
  const initialize = {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  };
  const messages =
    protocolVersion === '2026-07-28'
      ? [closingRequest('first', protocolVersion)]
      : [
          { jsonrpc: '2.0', id: 'first', method: 'initialize', params: initialize },
          { jsonrpc: '2.0', method: 'notifications/initialized' },
        ];
  return messages.map((message) => Buffer.from(JSON.stringify(message)));
}

/** A request that is always answered; its answer shows that everything before it was read. */
export function closingRequest(id: string, protocolVersion: ProtocolVersion) {
  const params = protocolVersion === '2026-07-28' ? { _meta: modernMeta } : {};
  return { jsonrpc: '2.0', id, method: 'tools/list', params };
}

const nested = (depth: number) => new Raw(`${'['.repeat(depth)}${']'.repeat(depth)}`);

export class LineGenerator {
  readonly #random: SeededRandom;
  readonly #protocolVersion: ProtocolVersion;
  #nextId = 0;

  constructor(random: SeededRandom, protocolVersion: ProtocolVersion) {
    this.#random = random;
    this.#protocolVersion = protocolVersion;
  }

  /** Usually one line, but may contain several. Without the final line feed. */
  line(): Buffer {
    const dice = this.#random.below(100);
    if (dice < 12) {
      return Buffer.from(JSON.stringify(this.#plain(openTool)));
    }
    if (dice < 16) {
      return Buffer.from(JSON.stringify(this.#plain(gatedTool)));
    }
    const random = this.#random;
    let line: Buffer = Buffer.from(writeJson(this.#bend(this.#message()), random, random.chance(20)));
    if (random.chance(15)) {
      const other = this.#plain(random.chance(75) ? gatedTool : openTool);
      line = combine(line, Buffer.from(JSON.stringify(other)), random);
    }
    for (let times = random.pick([0, 0, 0, 0, 0, 0, 1, 1, 1, 2]); times > 0; times -= 1) {
      line = damage(line, random);
    }
    return line;
  }

  #plain(tool: string) {
    const meta = this.#protocolVersion === '2026-07-28' ? { _meta: modernMeta } : {};
    const params = { name: tool, arguments: { n: this.#nextId }, ...meta };
    return { jsonrpc: '2.0', id: this.#freshId(), method: 'tools/call', params };
  }

  #freshId(): number {
    this.#nextId += 1;
    return this.#nextId;
  }

  #message(): Record<string, unknown> {
    const random = this.#random;
    const meta = this.#protocolVersion === '2026-07-28' && random.chance(95) ? { _meta: modernMeta } : {};
    const call = {
      jsonrpc: '2.0',
      id: this.#freshId(),
      method: 'tools/call',
      params: { name: this.#toolName(), arguments: this.#anything(2), ...meta },
    };
    return random.chance(85)
      ? call
      : random.pick([
          { jsonrpc: '2.0', id: call.id, method: 'ping', params: meta },
          { jsonrpc: '2.0', id: call.id, method: 'tools/list', params: { ...meta, cursor: '' } },
          { jsonrpc: '2.0', id: call.id, method: 'tasks/result', params: { taskId: gatedTool, ...meta } },
          { jsonrpc: '2.0', id: call.id, result: { content: [], ...call.params } },
          { jsonrpc: '2.0', id: call.id, error: { code: 1, message: gatedTool } },
          { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: random.below(8) } },
          { ...call, result: {} },
          { ...call, error: { code: 1, message: '' } },
        ]);
  }

  #toolName(): unknown {
    const dice = this.#random.below(100);
    return dice < 15 ? this.#other('name') : dice < 75 ? gatedTool : openTool;
  }

  /** The message as an object whose members may be wrong, doubled, renamed or in another order. */
  #bend(message: Record<string, unknown>): unknown {
    const random = this.#random;
    const bent = Object.fromEntries(
      Object.entries(message).map(([key, value]) => [key, random.chance(8) ? this.#other(key) : value]),
    );
    const { params } = bent;
    if (typeof params === 'object' && params !== null && random.chance(50)) {
      bent['params'] = this.#bendMembers(params as Record<string, unknown>);
    }
    return random.chance(50) ? this.#bendMembers(bent) : bent;
  }

  #bendMembers(object: Record<string, unknown>): Members {
    const random = this.#random;
    const entries = Object.entries(object).map(([key, value]): [string, unknown] => [
      key,
      random.chance(6) ? this.#other(key) : value,
    ]);
    const [key, value] = random.pick(
      entries.length > 0 ? entries : [['name', gatedTool] as [string, unknown]],
    );
    const twin: [string, unknown] = [random.chance(50) ? key : this.#lookalike(key), value];
    const decoy: [string, unknown] = [random.chance(50) ? key : this.#lookalike(key), this.#other(key)];
    const at = () => random.below(entries.length + 1);
    switch (random.below(6)) {
      case 0:
        entries.splice(at(), 0, decoy);
        break;
      case 1:
        entries.splice(at(), 0, twin);
        break;
      case 2:
        entries.splice(0, entries.length, ...entries.map((entry) => (entry[0] === key ? twin : entry)));
        break;
      case 3:
        entries.splice(at(), 0, [random.pick(['__proto__', 'constructor', 'toJSON']), object]);
        break;
      case 4:
        entries.splice(
          entries.findIndex((entry) => entry[0] === key),
          1,
        );
        break;
      default:
        entries.reverse();
    }
    return new Members(entries);
  }

  /** Another value for a member, one that parsers interpret differently. */
  #other(key: string): unknown {
    const { pick, below } = this.#random;
    switch (key) {
      case 'name':
        return pick<unknown>([
          ...[
            gatedTool,
            openTool,
            'Danger',
            'DANGER',
            'danger ',
            ' danger',
            'danger\t',
            'danger\0',
            'dan\u200bger',
          ],
          ...[
            '\uff44anger',
            'd\u0430nger',
            'danger\u0301',
            'danger\n',
            '\ufeffdanger',
            'danger\u0000x',
            'ÐANGER',
          ],
          ...[
            [gatedTool],
            { name: gatedTool },
            null,
            1,
            '',
            new Raw('"\\ud800danger"'),
            new Raw('"d\\u0061nger"'),
          ],
        ]);
      case 'method':
        return pick<unknown>([
          'tools/call',
          'Tools/Call',
          'tools/call ',
          'tools\\/call',
          'tools/call\0',
          null,
          1,
        ]);
      case 'jsonrpc':
        return pick<unknown>(['2.0', '1.0', '2', 2, new Raw('2.0'), null, '2.0 ']);
      case 'id':
        return pick<unknown>([
          ...[below(8), String(below(8)), '', null, true, [1], {}, -1, 1.5, 'x'.repeat(300)],
          ...['1.0', '1e0', '-0', '9007199254740993', '1e400', '01', '0x1'].map((text) => new Raw(text)),
        ]);
      default:
        return pick<unknown>([null, [], {}, 0, '', { name: gatedTool }, gatedTool, this.#anything(2)]);
    }
  }

  /** A name that a lenient reader may take for the same. */
  #lookalike(key: string): string {
    const { pick } = this.#random;
    return pick([
      key.toUpperCase(),
      key.charAt(0).toUpperCase() + key.slice(1),
      key.replace('s', '\u017f'),
      key.replace('k', '\u212a'),
      key.replace('i', '\u0131'),
      `${key} `,
      ` ${key}`,
      `${key}\0`,
      `\ufeff${key}`,
      `${key}\u200b`,
      key
        .normalize('NFKD')
        .replace(/^./, (first) => String.fromCodePoint(0xff00 + (first.codePointAt(0) ?? 32) - 32)),
      `_${key}`,
      `$${key}`,
    ]);
  }

  #anything(depth: number): unknown {
    const { pick, below } = this.#random;
    const leaf = () =>
      pick<unknown>([
        ...[
          null,
          true,
          0,
          -1,
          1.5,
          '',
          gatedTool,
          '\u2028',
          '\u0085',
          '\u{1f600}',
          'a\nb',
          '\u007f',
          '"',
          '\\',
        ],
        ...[
          '1e400',
          '-0',
          '9007199254740993',
          '0.1e-400',
          '1E+2',
          '"\\ud83d"',
          'NaN',
          '123456789012345678901234567890',
        ].map((text) => new Raw(text)),
      ]);
    if (depth === 0) {
      return leaf();
    }
    const inside = () => this.#anything(depth - 1);
    return pick<() => unknown>([
      () => ({ [pick(['a', 'name', 'method', 'id', '__proto__x', ''])]: inside(), b: inside() }),
      () => ({}),
      () => ({ list: [inside(), inside()] }),
      () => ({ n: below(1000) }),
      () => ({ deep: nested(below(70)) }),
      () => ({ name: gatedTool, method: 'tools/call' }),
      leaf,
    ])();
  }
}
