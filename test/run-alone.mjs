export const measuringFiles = {};
export const ownProcessFiles = {};
