/** Types of random-seeds.mjs, which runs before there is a compiler. */
export const randomlySeededTests: string[];
