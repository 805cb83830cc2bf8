/**
 * What the product is called. What cannot read it here is compared with it:
 * test/architecture/product-name.test.ts.
 */
export const productName = 'Gatepost';

/** As packages, images, labels, counters and clients are called. */
export const productSlug = productName.toLowerCase();
