/** What each setting means and what it costs (spec, Audit events; design 4, 7). */
import type { Workspace } from '../../api/types.ts';

/** Settings that are on or off. */
export type SettingName = Exclude<keyof Workspace['settings'], 'tool_call_retention_days'>;

export interface SettingText {
  name: SettingName;
  label: string;
  meaning: string;
  /** The danger of the risky choice; shown while it is chosen. */
  danger: { when: boolean; title: string; text: string } | null;
}

export const settingTexts: readonly SettingText[] = [
  {
    name: 'allow_runtime_permission_requests',
    label: 'Agents may ask for grants while they run',
    meaning:
      'When this is off, an agent that lacks a grant is told so at once and nobody is asked; only grants that people make beforehand let gated calls pass. It holds from the next request on.',
    danger: null,
  },
  {
    name: 'members_grant_persistent',
    label: 'Members may make persistent grants for agents that they own',
    meaning:
      'A persistent grant holds in every later session of the agent, until somebody revokes it. Scopes that a catalog entry keeps to admins stay with admins.',
    danger: {
      when: true,
      title: 'Fewer questions, and fewer people who look',
      text: 'With this on, a member decides alone that an agent of theirs is never asked again. Look through the persistent grants under Grants from time to time.',
    },
  },
  {
    name: 'log_tool_payloads',
    label: 'Keep arguments and results of tool calls in the audit trail',
    meaning:
      'For finding out what went wrong. Up to 16 KiB of each are kept. It holds for sessions that start after the change; their transcripts say so.',
    danger: {
      when: true,
      title: 'What tools read and write is then on record, personal data and secrets included',
      text: 'What is kept stays as long as records of tool calls do, and every admin can read and export it. Switch this off again as soon as you have what you need.',
    },
  },
];
