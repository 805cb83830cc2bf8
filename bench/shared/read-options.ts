/** Prints the usage and ends the process for `--help`, or with 2 and the reason when `read` throws. */
export function orUsage<Options>(usage: string, read: () => Options | 'help'): Options {
  try {
    const options = read();
    if (options !== 'help') {
      return options;
    }
    console.log(usage);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exit(2);
  }
}

/** A whole number that is `least` or more; throws with the option's name. */
export function whole(flag: string, text: string, least = 1): number {
  const value = Number(text);
  if (text === '' || !Number.isInteger(value) || value < least) {
    throw new Error(`${flag}: ${text} is not a whole number of ${least} or more`);
  }
  return value;
}
