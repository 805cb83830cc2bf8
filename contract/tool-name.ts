/**
 * A name of a tool, wherever one is: what is longer can be neither listed nor gated nor called. The protocol advises 128 characters; servers that
 * put others' names behind their own have longer ones.
 */
export const maxToolNameCharacters = 256;
