/**
 * The kubelet replaces `$(NAME)` in variables and commands by another variable's value, and `$$` by `$`. With
 * every `$` doubled the container gets exactly this text: no value can expand another.
 */
export const escapeExpansion = (text: string): string => text.replaceAll('$', '$$$$');
