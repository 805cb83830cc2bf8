/** Counters of this sidecar, in the text format of Prometheus. Labels come from fixed lists, never from a message. */

export type Counter =
  | 'platform_gate_refusals_total'
  | 'platform_tool_calls_total'
  | 'platform_agent_connections_total'
  | 'platform_inputs_total';

const helpByCounter: Record<Counter, string> = {
  platform_gate_refusals_total: 'Messages that the gate did not let pass, by direction and reason.',
  platform_tool_calls_total: 'Tool calls by server and outcome.',
  platform_agent_connections_total: 'Connections of the agent by server.',
  platform_inputs_total: 'Messages taken in for the agent.',
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
        const samples = [...values].map(([labels, value]) => `${counter}${labels} ${value}`);
        return [`# HELP ${counter} ${helpByCounter[counter]}`, `# TYPE ${counter} counter`, ...samples].join(
          '\n',
        );
      });
      return `${blocks.join('\n')}\n`;
    },
  };
}
