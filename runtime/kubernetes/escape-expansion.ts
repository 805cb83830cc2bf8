/**
 * The kubelet replaces `$(NAME)` in variables and commands by another variable's value, and `$$` by `$`. With every `$`
 * doubled the container gets exactly this text: nobody's value pulls in another one's.
 */
export const escapeExpansion = (text: string): string => text.replaceAll('$', '$$$$');
