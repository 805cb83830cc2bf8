/** `5,000,000`: the same for everyone who reads it. */
export const numberText = (value: number): string => value.toLocaleString('en-US');

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

/** "9,999", then "915 k", "1.9 M": where the size matters more than each one. */
export const shortNumberText = (value: number): string =>
  value < 10_000
    ? numberText(value)
    : compact.format(value).replace(/([A-Z])$/, (unit) => ` ${unit === 'K' ? 'k' : unit}`);
