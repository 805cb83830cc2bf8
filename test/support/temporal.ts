/**
 * Address of the real Temporal development server, namespace `default`, with the
 * platform's search attributes.
 */
export function temporalAddress(): string {
  const address = process.env['TEST_TEMPORAL_ADDRESS'];
  if (address === undefined) {
    throw new Error('jest runs without its global setup');
  }
  return address;
}
