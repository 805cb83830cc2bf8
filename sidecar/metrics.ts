/**
 * Counters of this sidecar, in the text format of Prometheus. Labels come from fixed
 * lists, never from a message.
 */
import { productSlug } from '../contract/product-name.ts';

/** Rendered with the name of the product before it. */
export type Counter = 'gate_refusals_total' | 'tool_calls_total' | 'agent_connections_total' | 'inputs_total';

const helpByCounter: Record<Counter, string> = {
  gate_refusals_total: 'Messages that the gate did not let pass, by direction and reason.',
  tool_calls_total: 'Tool calls by server and outcome.',
  agent_connections_total: 'Connections of the agent by server.',
  inputs_total: 'Messages taken in for the agent.',
};

export interface Metrics {
  count(counter: Counter, labels?: Readonly<Record<string, string>>): void;
  render(): string;
}

export function createMetrics(): Metrics {
  const series = new Map<Counter, Map<string, number>>();
  return {
    count(counter, labels = {}) {
      const values = series.get(counter) ?? new Map<string, number>();
      series.set(counter, values);
      // Once for each call: no lists.
      let pairs = '';
      for (const name in labels) {
        pairs += `${pairs === '' ? '' : ','}${name}="${labels[name]}"`;
      }
      const key = pairs === '' ? '' : `{${pairs}}`;
      values.set(key, (values.get(key) ?? 0) + 1);
    },
    render() {
      const blocks = [...series].map(([counter, values]) => {
        const name = `${productSlug}_${counter}`;
        const samples = [...values].map(([labels, value]) => `${name}${labels} ${value}`);
        return [`# HELP ${name} ${helpByCounter[counter]}`, `# TYPE ${name} counter`, ...samples].join('\n');
      });
      return `${blocks.join('\n')}\n`;
    },
  };
}
