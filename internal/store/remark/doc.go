// Package remark stores reviews, questions and their answers, the photos of reviews and
// votes, and keeps the ratings of products.
package remark
