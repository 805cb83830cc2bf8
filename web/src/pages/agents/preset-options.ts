/** The agents that `acp` can start, as a form offers them. */
import { type AcpPreset, acpPreset, acpPresets } from '../../../../contract/acp-preset.ts';
import type { ModelDialect } from '../../../../contract/model-access.ts';
import type { Availability } from '../../api/types.ts';
import { dialectsText } from '../../text/dialect-text.ts';

/** Undefined: not known yet, so nothing is ruled out. */
interface Here {
  presets: Availability['acp_presets'] | undefined;
  endpoints: readonly { dialect: ModelDialect }[] | undefined;
}

export interface PresetOption {
  value: AcpPreset;
  name: string;
  label: string;
  disabled: boolean;
  /** Why it cannot be chosen, or what it would lack here; empty for neither. */
  problems: string[];
}

/** What is not available is last. */
export function presetOptions({ presets, endpoints }: Here): PresetOption[] {
  const options = acpPreset.options.map((value) => {
    const { label: name, dialects } = acpPresets[value];
    const missing = presets?.[value] ?? null;
    const isAsked = endpoints?.some(({ dialect }) => dialects.includes(dialect)) ?? true;
    const unasked = `no endpoint of this workspace speaks ${dialectsText(dialects)}, so it gets no model from the platform`;
    return {
      value,
      name,
      label: missing === null ? name : `${name}: not available`,
      disabled: missing !== null,
      problems: [...(missing === null ? [] : [missing]), ...(isAsked ? [] : [unasked])],
    };
  });
  return [...options.filter(({ disabled }) => !disabled), ...options.filter(({ disabled }) => disabled)];
}

const supportTexts = {
  full: 'Full support',
  limited: 'Limited support',
  untested: 'Untested',
};

/** What it is for, and what one has to know of it. */
export function presetText(preset: AcpPreset): string {
  const { suits, support, lacks, dialects } = acpPresets[preset];
  const asks = preset === 'custom' ? '' : ` It asks its model by ${dialectsText(dialects)}.`;
  return `${suits}${asks} ${supportTexts[support]}: ${lacks.charAt(0).toLowerCase()}${lacks.slice(1)}`;
}
