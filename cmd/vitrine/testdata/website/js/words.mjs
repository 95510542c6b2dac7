export const words = 'a module ran';
