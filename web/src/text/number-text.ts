/** `5,000,000`: the same for everyone who reads it. */
export const numberText = (value: number): string => value.toLocaleString('en-US');
