/** Groups of the identity provider become roles by rules of the operator (docs/sign-in.md#groups). */
import * as z from 'zod';
import { workspaceSlug } from './names.ts';
import { workspaceRole } from './workspace.ts';

/** Who has this value in the claim has this role, or a higher one, in the workspace. */
export const groupRule = z.strictObject({
  value: z.string().min(1).max(500),
  workspace: workspaceSlug,
  role: workspaceRole,
});
export type GroupRule = z.infer<typeof groupRule>;

/**
 * Why the groups of a person are not known: the provider sent no such claim, left some out because they are
 * too many, or sent something other than a list of texts.
 */
export const groupsProblem = z.enum(['claim_missing', 'claim_cut_off', 'claim_wrong_type']);
export type GroupsProblem = z.infer<typeof groupsProblem>;

/** The values of the claim, each once; or why they are not known, which is never the same as none. */
export type Groups = { values: ReadonlySet<string> } | { problem: GroupsProblem };
