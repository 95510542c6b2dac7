// Words of the pictures of an object.
import type { Phrases } from ".";

export const words = {
  pictureAddress: ["Address of a picture", "Адрес изображения"],
  pictureAddressHint: ["https://…; it is copied to the shop", "https://…; копируется в магазин"],
  addAddress: ["Add by address", "Добавить по адресу"],
  addPictures: ["Add pictures", "Добавить изображения"],
  dropPictures: ["Drop pictures here", "Перетащите изображения сюда"],
  moveLeft: ["Move to the left", "Сдвинуть влево"],
  moveRight: ["Move to the right", "Сдвинуть вправо"],
} satisfies Phrases;
