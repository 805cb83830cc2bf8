/** What each setting means and what it costs. */
import type { Workspace } from '../../api/types.ts';
import { keepsRefusedCallsLabel } from '../../text/setting-labels.ts';

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
    label: 'Agents can request grants while they run',
    meaning:
      'When this is off, requests are refused immediately without asking anyone: gated calls need grants that were created in advance. Applies from the next request.',
    danger: null,
  },
  {
    name: 'keep_refused_calls',
    label: keepsRefusedCallsLabel,
    meaning:
      'The arguments of a call that needs permission are kept, encrypted, with the request that follows: people who may decide on it and may read its session see the very call, and can approve exactly that one. They are deleted some time after the decision. Applies from the next request.',
    danger: {
      when: false,
      title: 'Approvals without the call',
      text: 'People see which tool was refused and what the agent claims, not the arguments. They can only approve calls with any arguments.',
    },
  },
  {
    name: 'members_grant_persistent',
    label: 'Members can create persistent grants for their own agents',
    meaning:
      'A persistent grant is valid in every later session of the agent, until someone revokes it. Scopes that a catalog entry reserves for admins stay reserved.',
    danger: {
      when: true,
      title: 'Less oversight',
      text: 'A member alone can decide that their agent no longer has to ask. Review the persistent grants under Grants regularly.',
    },
  },
  {
    name: 'require_passkey',
    label: 'Every grant is approved with a passkey',
    meaning:
      'Whoever approves a request or creates a grant confirms it with a passkey of their own. A catalog entry can ask for this for its own scopes alone. Applies from the next approval; grants that exist stay.',
    danger: null,
  },
  {
    name: 'log_tool_payloads',
    label: 'Record arguments and results of tool calls in the audit trail',
    meaning:
      'For troubleshooting. Up to 16 KiB of each are recorded. Applies to sessions that start after the change; their transcripts say so.',
    danger: {
      when: true,
      title: 'Everything that tools read and write is recorded, including personal data and secrets',
      text: 'It is kept as long as records of tool calls, and every admin can read and export it. Turn this off as soon as you have what you need.',
    },
  },
];
